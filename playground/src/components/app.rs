//! The whole page: state in the middle, gaps of the static shell around it.

use std::rc::Rc;

use gloo::utils::document;
use rules::settings::Settings;
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use super::full_page::full_page;
use super::gutter::Gutter;
use super::held_text::held_text;
use super::here::here;
use super::input_list::InputList;
use super::node_form::NodeForm;
use super::preferences_bar::preferences_bar;
use super::report_view::{Page, ReportView, Target};
use super::tools::Tools;
use super::welcome::welcome;
use crate::hooks::{
    Go, use_apply, use_arrivals, use_checker, use_cursor, use_finding_keys, use_inputs, use_reload, use_shell_words,
};
use crate::inputs::{Inputs, Source};
use crate::places::line_at;
use crate::preferences;
use crate::shell::{self, Shell};
use crate::state::{Action, Phase, State};
use crate::words;
use crate::worker::Core;

/// The static page around the app.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct AppProps {
    /// Its elements; the app itself is rendered into `shell.report`.
    pub shell: Shell,
    /// Does the work.
    pub core: Core,
}

/// The app.
#[component]
pub fn App(props: &AppProps) -> Html {
    let AppProps { shell, core } = props;
    let input = &shell.input;
    // What the page around asks for counts as chosen.
    let empty = Inputs::default().first_of(shell.embed.as_ref().and_then(|embed| embed.kind));
    let state = use_reducer(|| State::new(preferences::lang(), preferences::theme(), empty.clone()));
    let settings = use_memo(state.node.clone(), |node| Settings { node: node.clone(), ..Settings::default() });
    let (inputs, go) = use_inputs(shell, &state);
    use_checker(input, &inputs, &settings, core, &state);
    use_hidden_field(input, state.inputs.is_editable());
    let put_cursor = {
        let dispatch = state.dispatcher();
        use_callback(input.clone(), move |line, input| {
            shell::put_cursor(input, line);
            dispatch.dispatch(Action::Came(None));
            dispatch.dispatch(Action::Cursor(line));
        })
    };
    let on_files = use_arrivals(shell, &state, &inputs, &go, &put_cursor);
    use_cursor(input, state.dispatcher());
    use_finding_keys(input);
    use_reload(&inputs, &state);
    use_shell_words(shell, &state);
    let show = use_show(&inputs, &go);
    let page = Page {
        lang: state.lang,
        revision: state.checked_revision(),
        select: use_select(input, &show, &state),
        names: use_names(&state),
        held: state.inputs.held().collect(),
        line: use_line(input),
        apply: use_apply(input, &inputs, &show, &settings, core, &state),
        inputs: inputs.clone(),
        settings,
        core: core.clone(),
    };

    let on_example = go.reform(Go::example);
    let on_clear = go.reform(move |()| Go::instead(empty.clone()));
    let on_add = {
        let (go, inputs, input) = (go.clone(), inputs.clone(), input.clone());
        Callback::from(move |()| {
            let now = inputs.emit(());
            let new = Source::typed(&now.new_name(), "");
            go.emit(Go::to(now.with(vec![new])));
            input.set_hidden(false);
            let _ = input.focus();
        })
    };
    let on_bring_back = {
        let replaced = state.replaced.clone();
        go.reform(move |()| Go::instead(replaced.as_deref().cloned().unwrap_or_default()))
    };
    let input_list = {
        let (of_kind, without) = (inputs.clone(), inputs.clone());
        let on_kind = go.reform(move |(index, kind)| Go::to(of_kind.emit(()).of_kind(index, kind)));
        let on_remove = go.reform(move |index| Go::instead(without.emit(()).without(index)));
        let on_show = Callback::from(move |index| {
            show.emit(index);
        });
        let read = state.checked.as_ref().map(|checked| checked.report.read.clone()).unwrap_or_default();
        html! { <InputList lang={state.lang} inputs={state.inputs.clone()} {read} {on_show} {on_kind} {on_remove} /> }
    };
    let (on_lang, on_theme) = (dispatching(&state, Action::Lang), dispatching(&state, Action::Theme));
    let preferences = preferences_bar(state.lang, state.theme, &on_lang, &on_theme);
    let on_node = dispatching(&state, Action::Node);
    let node = html! { <NodeForm lang={state.lang} node={state.node.clone()} {on_node} /> };
    let tools = html! {
        <Tools
            lang={state.lang}
            example={state.example}
            text={state.phase() != Phase::Empty}
            replaced={state.replaced.is_some()}
            on_example={on_example.clone()}
            {on_files}
            {on_add}
            {on_clear}
            {on_bring_back}
        />
    };
    html! {
        <>
            { create_portal(preferences, shell.preferences.clone()) }
            { create_portal(tools, shell.tools.clone()) }
            if state.phase() != Phase::Empty || state.inputs.list().len() > 1 {
                { create_portal(input_list, shell.inputs.clone()) }
            }
            <Gutter
                host={shell.gutter.clone()}
                input={input.clone()}
                revision={state.revision}
                checked={state.done().cloned()}
                active={state.inputs.active()}
                {put_cursor}
            />
            { create_portal(held_text(&state), shell.held.clone()) }
            { create_portal(node, shell.node.clone()) }
            { create_portal(here(&state), shell.here.clone()) }
            if let Some(checked) = &state.checked {
                <ReportView checked={checked.clone()} current={state.current()} {page} />
            } else if !matches!(state.phase(), Phase::Failed(_)) {
                { welcome(state.lang, &on_example) }
            }
            if shell.embed.is_some() { { full_page(&state, input, &inputs) } }
        </>
    }
}

/// Keep the textarea away while a text is shown that it cannot hold; the focus then goes to what stands in its place.
#[hook]
fn use_hidden_field(input: &HtmlTextAreaElement, is_editable: bool) {
    let input = input.clone();
    use_effect_with(is_editable, move |is_editable| {
        let had_focus = document().active_element().as_ref() == Some(input.as_ref());
        input.set_hidden(!is_editable);
        if had_focus && !is_editable {
            shell::focus_held();
        }
    });
}

/// The callback shows the input with that number, and tells whether it can be edited.
#[hook]
fn use_show(inputs: &Callback<(), Inputs>, go: &Callback<Go>) -> Callback<usize, bool> {
    let inputs = inputs.clone();
    use_callback(go.clone(), move |index: usize, go| {
        let now = inputs.emit(());
        let shown = now.clone().showing(index);
        let is_editable = shown.is_editable();
        if now.active() != index {
            go.emit(Go::to(shown));
        }
        is_editable
    })
}

/// The callback selects a place in the texts.
#[hook]
fn use_select(
    field: &HtmlTextAreaElement,
    show: &Callback<usize, bool>,
    state: &UseReducerHandle<State>,
) -> Callback<Target> {
    let (field, dispatch) = (field.clone(), state.dispatcher());
    use_callback(show.clone(), move |Target { input, place, finding }: Target, show| {
        dispatch.dispatch(Action::Came(finding));
        if show.emit(input) {
            shell::select(&field, place);
            // At once, so that the way back is there with the selection.
            dispatch.dispatch(Action::Cursor(place.line()));
        } else {
            shell::select_held(place.line());
        }
    })
}

/// The callback gives the 1-based line that the cursor is in.
#[hook]
fn use_line(input: &HtmlTextAreaElement) -> Callback<(), usize> {
    use_callback(input.clone(), |(), input| {
        line_at(&input.value(), input.selection_start().ok().flatten().unwrap_or_default())
    })
}

/// The names of the inputs when there are several, the same as before as long as they are.
#[hook]
fn use_names(state: &State) -> Rc<[Rc<str>]> {
    let list = state.inputs.list();
    let names: Vec<String> = list.iter().map(|source| words::input_name(state.lang, &source.name)).collect();
    let names = use_memo(names, |names| {
        if names.len() > 1 {
            names.iter().map(|name| name.as_str().into()).collect()
        } else {
            Rc::<[Rc<str>]>::default()
        }
    });
    Rc::clone(&names)
}

fn dispatching<T: 'static>(state: &UseReducerHandle<State>, action: fn(T) -> Action) -> Callback<T> {
    let dispatch = state.dispatcher();
    Callback::from(move |value| dispatch.dispatch(action(value)))
}
