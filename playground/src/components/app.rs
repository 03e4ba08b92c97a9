//! The whole page: state in the middle, gaps of the static shell around it.

use std::rc::Rc;

use gloo::utils::document;
use js_sys::JsString;
use rules::settings::{NodeProfile, Settings};
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use super::full_page::full_page;
use super::gutter::Gutter;
use super::held_text::held_text;
use super::here::here;
use super::input_list::InputList;
use super::node_form::NodeForm;
use super::preferences_bar::preferences_bar;
use super::report_view::{Fix, Page, ReportView};
use super::tools::Tools;
use super::welcome::welcome;
use crate::examples::Example;
use crate::exports::NAME;
use crate::files;
use crate::fixes::{Change, Fixed};
use crate::fragment::{self, Opened};
use crate::hooks::{
    Pasted, use_checker, use_cursor, use_embed, use_file_drop, use_finding_keys, use_fragment, use_long_paste,
    use_reload, use_shell_words,
};
use crate::inputs::{Inputs, MOST, Source};
use crate::job::{Job, Task};
use crate::places::{Place, line_at};
use crate::preferences;
use crate::shell::{self, Shell};
use crate::state::{Action, Phase, Refused, State};
use crate::words;
use crate::worker::{Core, Lost};

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
    let shell = &props.shell;
    let input = &shell.input;
    // What the page around asks for counts as chosen.
    let kind = shell.embed.as_ref().and_then(|embed| embed.kind);
    let empty = Inputs::default().first_of(kind);
    let state = use_reducer(|| State::new(preferences::lang(), preferences::theme(), empty.clone()));
    let settings = use_memo(state.node.clone(), |node| Settings { node: node.clone(), ..Settings::default() });
    let latest = use_mut_ref(|| (*state).clone());
    *latest.borrow_mut() = (*state).clone();
    // What these callbacks see is always the present; they keep their identity, and with it the report is not rendered
    // anew at each key.
    let inputs = {
        let latest = latest.clone();
        use_callback(input.clone(), move |(), input| latest.borrow().inputs.saved(&input.value()))
    };
    let go = {
        let (dispatch, inputs) = (state.dispatcher(), inputs.clone());
        use_callback(shell.clone(), move |to: Go, shell| {
            let input = &shell.input;
            let before = inputs.emit(());
            let name = |inputs: &Inputs| inputs.shown().map(|source| Rc::clone(&source.name));
            let (shown, is_alone) = (name(&before), before.list().len() == 1);
            let (replaced, example) = {
                let now = latest.borrow();
                let own = before.has_others() || is_own(&input.value(), now.example);
                // What was taken away before counts until it is back.
                let kept = now.replaced.clone().filter(|kept| !to.replaces || **kept != to.inputs);
                let replaced = Some(Rc::new(before)).filter(|_| to.replaces && own).or(kept);
                (replaced, to.example.or(now.example.filter(|_| !to.replaces)))
            };
            let text = to.inputs.shown().and_then(|source| source.typed_text()).unwrap_or_default();
            let focused = shell::focused();
            if is_alone && to.inputs.list().len() == 1 {
                if input.value() != text {
                    shell::put(input, text);
                }
            } else if shown != name(&to.inputs) || input.value() != text {
                shell::switch(input, text);
            }
            if to.replaces {
                if to.inputs.is_editable() {
                    // What is hidden takes no focus.
                    input.set_hidden(false);
                }
                shell::give_back(focused, shell);
            }
            let length = input.text_length();
            // Whoever asks before the next rendering gets these.
            latest.borrow_mut().inputs = to.inputs.clone();
            dispatch.dispatch(Action::Inputs { inputs: to.inputs, length, example, replaced });
            fragment::write(to.fragment.as_deref());
        })
    };
    use_checker(input, &inputs, &settings, &props.core, &state);
    {
        let (input, editable) = (input.clone(), state.inputs.is_editable());
        use_effect_with(editable, move |editable| {
            let had_focus = document().active_element().as_ref() == Some(input.as_ref());
            input.set_hidden(!editable);
            if had_focus && !editable {
                shell::focus_held();
            }
        });
    }
    let on_example = go.reform(Go::example);
    let put_cursor = {
        let dispatch = state.dispatcher();
        use_callback(input.clone(), move |line, input| {
            shell::put_cursor(input, line);
            dispatch.dispatch(Action::Cursor(line));
        })
    };
    let on_open = {
        let (put_cursor, go, dispatch) = (put_cursor.clone(), go.clone(), state.dispatcher());
        Callback::from(move |opened| match opened {
            Opened::Example(example) => go.emit(Go::example(example).of_kind(kind)),
            Opened::Shared(Ok(shared)) => {
                let node = shared.node();
                // A link that says nothing of the node takes nothing away of what was typed.
                if node != NodeProfile::default() {
                    dispatch.dispatch(Action::Node(node));
                }
                let (line, inputs) = (shared.line, files::fitting(&Inputs::of_shared(shared)));
                go.emit(Go { fragment: Some(fragment::read()), ..Go::instead(inputs) }.of_kind(kind));
                if let Some(line) = line {
                    put_cursor.emit(line);
                }
            }
            Opened::Shared(Err(fault)) => dispatch.dispatch(Action::Refused(Refused::Link(fault))),
        })
    };
    // New inputs come behind what the user would miss, and in place of anything else.
    let add = {
        let (go, inputs, example, input) = (go.clone(), inputs.clone(), state.example, input.clone());
        Callback::from(move |more: Vec<Source>| {
            let before = inputs.emit(());
            let own = before.has_others() || is_own(&input.value(), example);
            go.emit(if own { Go::to(before.with(more)) } else { Go::instead(Inputs::of(more)) });
        })
    };
    let readonly = shell.embed.as_ref().is_some_and(|embed| embed.readonly);
    let on_files = {
        let (add, inputs, dispatch) = (add.clone(), inputs.clone(), state.dispatcher());
        Callback::from(move |files: Vec<web_sys::File>| {
            if readonly {
                return;
            }
            let (add, dispatch) = (add.clone(), dispatch.clone());
            let room = inputs.emit(()).room();
            spawn_local(async move {
                let (sources, refused) = files::read(&files, room).await;
                add.emit(sources);
                if let Some(why) = refused {
                    dispatch.dispatch(Action::Refused(why));
                }
            });
        })
    };
    let on_long_paste = {
        let (add, inputs, dispatch) = (add.clone(), inputs.clone(), state.dispatcher());
        let go = go.clone();
        Callback::from(move |Pasted { text, over_all }: Pasted| {
            let inputs = inputs.emit(());
            match files::pasted(&inputs.new_name(), &text, inputs.room()) {
                Some(source) if over_all => go.emit(Go::instead(inputs.with_shown(source))),
                Some(source) => add.emit(vec![Source { kind: inputs.kind_of_paste(), ..source }]),
                None => dispatch.dispatch(Action::Refused(Refused::TooLong)),
            }
        })
    };
    use_long_paste(input, on_long_paste);
    let on_message = {
        let (go, dispatch) = (go.clone(), state.dispatcher());
        Callback::from(move |text: JsString| match files::pasted(NAME, &text, MOST) {
            Some(source) => go.emit(Go::instead(Inputs::of(vec![source])).of_kind(kind)),
            None => dispatch.dispatch(Action::Refused(Refused::TooLong)),
        })
    };
    use_embed(shell, &state, on_message);
    use_fragment(input.text_length() == 0, on_open);
    use_file_drop(on_files.clone());
    use_cursor(input, state.dispatcher());
    use_finding_keys();
    use_reload(&inputs, &state);
    use_shell_words(shell, &state);

    let show = {
        let inputs = inputs.clone();
        // Shows an input, and tells whether it can be edited.
        use_callback(go.clone(), move |index: usize, go| {
            let now = inputs.emit(());
            let shown = now.clone().showing(index);
            let is_editable = shown.is_editable();
            if now.active() != index {
                go.emit(Go::to(shown));
            }
            is_editable
        })
    };
    let page = {
        let [input, cursor, field] = std::array::from_fn(|_| input.clone());
        let dispatch = state.dispatcher();
        let select = use_callback(show.clone(), move |(index, place): (usize, Place), show| {
            if show.emit(index) {
                shell::select(&input, place);
            } else {
                shell::select_held(place.line());
            }
        });
        let line = use_callback((), move |(), ()| {
            line_at(&cursor.value(), cursor.selection_start().ok().flatten().unwrap_or_default())
        });
        let is_done = state.phase() == Phase::Done;
        let (tools, inputs_now) = (props.core.tools.clone(), inputs.clone());
        let asked = (show.clone(), is_done, Rc::clone(&settings), state.lang);
        let apply = use_callback(asked, move |fix: Fix, (show, is_done, settings, lang)| {
            // A report about an older text says nothing about places in this one.
            if !is_done || !show.emit(fix.input) {
                return dispatch.dispatch(Action::Fixed(Fixed::Nowhere));
            }
            let task = Task::Fix { input: fix.input, findings: fix.findings };
            let job = Job { task, lang: *lang, node: settings.node.clone(), inputs: inputs_now.emit(()) };
            dispatch.dispatch(Action::Fixed(Fixed::Awaited));
            let (field, dispatch, before) = (field.clone(), dispatch.clone(), field.value());
            let (inputs, shown) = (inputs_now.clone(), fix.input);
            tools.emit((
                job,
                Callback::from(move |answer| {
                    let now = inputs.emit(());
                    let is_there = now.active() == shown && field.value() == before;
                    put_fix(&field, Some(now).filter(|_| is_there), answer, &dispatch);
                }),
            ));
        });
        let list = state.inputs.list();
        let names: Vec<String> = list.iter().map(|source| words::input_name(state.lang, &source.name)).collect();
        let names = use_memo(names, |names| {
            if names.len() > 1 {
                names.iter().map(|name| name.as_str().into()).collect()
            } else {
                Rc::<[Rc<str>]>::default()
            }
        });
        let (names, held, settings) = (Rc::clone(&*names), state.inputs.held().collect(), Rc::clone(&settings));
        let (inputs, core) = (inputs.clone(), props.core.clone());
        let (lang, revision) = (state.lang, state.checked_revision());
        Page { lang, revision, select, inputs, names, held, line, apply, settings, core }
    };
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

/// Where to go: which inputs there are to be.
struct Go {
    inputs: Inputs,
    /// Whether they take the place of all that was there, which can then be brought back.
    replaces: bool,
    /// The example that they are.
    example: Option<&'static Example>,
    /// The fragment that opens them.
    fragment: Option<String>,
}

impl Go {
    fn to(inputs: Inputs) -> Self {
        Self { inputs, replaces: false, example: None, fragment: None }
    }

    fn instead(inputs: Inputs) -> Self {
        Self { replaces: true, ..Self::to(inputs) }
    }

    fn example(example: &'static Example) -> Self {
        let inputs = Inputs::of(vec![Source::typed(NAME, example.text)]);
        Self { example: Some(example), fragment: Some(fragment::of(example)), ..Self::instead(inputs) }
    }

    /// The same with the first input read as that kind, unless it has one of its own.
    fn of_kind(self, kind: Option<&'static str>) -> Self {
        Self { inputs: self.inputs.first_of(kind), ..self }
    }
}

/// Whether the user would miss `text`: it is not the untouched example.
fn is_own(text: &str, example: Option<&Example>) -> bool {
    !text.is_empty() && example.is_none_or(|example| !text.lines().eq(example.text.lines()))
}

/// Puts a fix into the text of `before`; `None` when there is another one by now.
fn put_fix(
    field: &HtmlTextAreaElement,
    before: Option<Inputs>,
    answer: Result<String, Lost>,
    dispatch: &UseReducerDispatcher<State>,
) {
    let change = answer.ok().and_then(|change| serde_json::from_str::<Option<Change>>(&change).ok());
    let outcome = match (change, before) {
        (None, _) => Fixed::NoAnswer,
        // It was made for another text, such as the one before a first click.
        (Some(_), None) => return,
        (Some(None), _) => Fixed::Nowhere,
        (Some(Some(change)), Some(before)) => {
            let undo = shell::change(field, &change);
            if !undo {
                dispatch.dispatch(Action::Replaced(Rc::new(before)));
            }
            dispatch.dispatch(Action::Edited { length: field.text_length(), at_once: true });
            if undo { change.outcome } else { change.outcome.without_undo() }
        }
    };
    dispatch.dispatch(Action::Fixed(outcome));
}

fn dispatching<T: 'static>(state: &UseReducerHandle<State>, action: fn(T) -> Action) -> Callback<T> {
    let dispatch = state.dispatcher();
    Callback::from(move |value| dispatch.dispatch(action(value)))
}
