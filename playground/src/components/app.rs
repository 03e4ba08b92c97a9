//! The whole page: state in the middle, gaps of the static shell around it.

use std::rc::Rc;

use rules::report::Finding;
use rules::settings::Settings;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use yew::prelude::*;

use super::full_page::full_page;
use super::here::here;
use super::node_form::NodeForm;
use super::preferences_bar::preferences_bar;
use super::report_view::{Page, ReportView};
use super::tools::Tools;
use super::welcome::welcome;
use crate::checking::LIMIT;
use crate::examples::Example;
use crate::fixes::{self, Fixed};
use crate::fragment::{self, Opened};
use crate::hooks::{
    use_checker, use_cursor, use_embed, use_file_drop, use_finding_keys, use_fragment, use_reload, use_shell_words,
};
use crate::places::line_at;
use crate::preferences;
use crate::shell::{self, Shell};
use crate::state::{Action, Refused, State};

/// The static page around the app.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct AppProps {
    /// Its elements; the app itself is rendered into `shell.report`.
    pub shell: Shell,
}

/// The app.
#[component]
pub fn App(props: &AppProps) -> Html {
    let shell = &props.shell;
    let input = &shell.input;
    let state = use_reducer(|| State::new(preferences::lang(), preferences::theme()));
    let settings = use_memo(state.node.clone(), |node| Settings { node: node.clone(), ..Settings::default() });
    let check_now = use_checker(input, &settings, state.dispatcher());
    let put = {
        let (shell, state, check_now) = (shell.clone(), state.clone(), check_now.clone());
        Callback::from(move |Put { text, example, fragment }: Put| {
            let replaced = Some(shell.input.value()).filter(|own| is_own(own, state.example)).map(Rc::from);
            shell::put(&shell, &text);
            check_now.emit(());
            state.dispatch(Action::Put { example, replaced });
            fragment::write(fragment.as_deref());
        })
    };
    let on_example = put.reform(Put::example);
    let on_open = {
        let (input, put, dispatch) = (input.clone(), put.clone(), state.dispatcher());
        Callback::from(move |opened| match opened {
            Opened::Example(example) => put.emit(Put::example(example)),
            Opened::Shared(Ok(shared)) => {
                dispatch.dispatch(Action::Node(shared.node()));
                put.emit(Put { fragment: Some(fragment::read()), ..Put::text(&shared.text) });
                if let Some(line) = shared.line {
                    shell::put_cursor(&input, line);
                    dispatch.dispatch(Action::Cursor(line));
                }
            }
            Opened::Shared(Err(fault)) => dispatch.dispatch(Action::Refused(Refused::Link(fault))),
        })
    };
    let on_files = {
        let (put, dispatch) = (put.clone(), state.dispatcher());
        let fixed = shell.embed.as_ref().is_some_and(|embed| embed.readonly);
        Callback::from(move |files: Vec<web_sys::File>| {
            if fixed {
                return;
            }
            let (put, dispatch) = (put.clone(), dispatch.clone());
            spawn_local(async move {
                match read(&files).await {
                    Ok(text) => put.emit(Put::text(&text)),
                    Err(why) => dispatch.dispatch(Action::Refused(why)),
                }
            });
        })
    };
    use_embed(shell, &state, put.reform(|text: Rc<str>| Put::text(&text)));
    use_fragment(input.text_length() == 0, on_open);
    use_file_drop(on_files.clone());
    use_cursor(input, state.dispatcher());
    use_finding_keys();
    use_reload(input, &state);
    use_shell_words(shell, &state);

    let page = {
        let [input, reader, cursor, field] = std::array::from_fn(|_| input.clone());
        let dispatch = state.dispatcher();
        let select = use_callback((), move |place, ()| shell::select(&input, place));
        let text = use_callback((), move |(), ()| reader.value());
        let line = use_callback((), move |(), ()| {
            line_at(&cursor.value(), cursor.selection_start().ok().flatten().unwrap_or_default())
        });
        // It keeps its identity, and with it the report is not rendered anew at each key.
        let apply = use_callback(Rc::clone(&settings), move |findings: Vec<Finding>, settings| {
            let outcome = match fixes::change(&field.value(), settings, &findings) {
                Some(change) => {
                    shell::change(&field, &change);
                    check_now.emit(());
                    change.outcome
                }
                None => Fixed::Nowhere,
            };
            dispatch.dispatch(Action::Fixed(outcome));
        });
        Page { lang: state.lang, select, text, line, apply, settings: Rc::clone(&settings) }
    };
    let on_clear = put.reform(|()| Put::text(""));
    let on_bring_back = {
        let replaced = state.replaced.clone();
        put.reform(move |()| Put::text(replaced.as_deref().unwrap_or_default()))
    };
    let (on_lang, on_theme) = (dispatching(&state, Action::Lang), dispatching(&state, Action::Theme));
    let preferences = preferences_bar(state.lang, state.theme, &on_lang, &on_theme);
    let on_node = dispatching(&state, Action::Node);
    let node = html! { <NodeForm lang={state.lang} node={state.node.clone()} {on_node} /> };
    let tools = html! {
        <Tools
            lang={state.lang}
            example={state.example}
            text={state.length > 0}
            replaced={state.replaced.is_some()}
            on_example={on_example.clone()}
            {on_files}
            {on_clear}
            {on_bring_back}
        />
    };
    html! {
        <>
            { create_portal(preferences, shell.preferences.clone()) }
            { create_portal(tools, shell.tools.clone()) }
            { create_portal(node, shell.node.clone()) }
            { create_portal(here(&state), shell.here.clone()) }
            if let Some(checked) = &state.checked {
                <ReportView checked={checked.clone()} current={state.current()} {page} />
            } else {
                { welcome(state.lang, &on_example) }
            }
            if shell.embed.is_some() { { full_page(&state, input) } }
        </>
    }
}

/// A text to put into the textarea.
struct Put {
    text: Rc<str>,
    /// The example that it is.
    example: Option<&'static Example>,
    /// The fragment that opens it.
    fragment: Option<String>,
}

impl Put {
    fn text(text: &str) -> Self {
        Self { text: text.into(), example: None, fragment: None }
    }

    fn example(example: &'static Example) -> Self {
        Self { example: Some(example), fragment: Some(fragment::of(example)), ..Self::text(example.text) }
    }
}

/// Whether the user would miss `text`: it is not the untouched example.
fn is_own(text: &str, example: Option<&Example>) -> bool {
    !text.is_empty() && example.is_none_or(|example| !text.lines().eq(example.text.lines()))
}

fn dispatching<T: 'static>(state: &UseReducerHandle<State>, action: fn(T) -> Action) -> Callback<T> {
    let dispatch = state.dispatcher();
    Callback::from(move |value| dispatch.dispatch(action(value)))
}

/// The text of all files; with several, each behind a YAML document mark and its name.
async fn read(files: &[web_sys::File]) -> Result<String, Refused> {
    if files.iter().map(|file| file.size()).sum::<f64>() > f64::from(LIMIT) {
        return Err(Refused::TooLong);
    }
    let mut all = String::new();
    for file in files {
        let text = JsFuture::from(file.text()).await.map_err(|_| Refused::Unreadable)?;
        let text = text.as_string().ok_or(Refused::Unreadable)?;
        if files.len() > 1 {
            all += &format!("---\n# {}\n", file.name());
        }
        all += &text;
        if !text.ends_with('\n') {
            all.push('\n');
        }
    }
    Ok(all)
}
