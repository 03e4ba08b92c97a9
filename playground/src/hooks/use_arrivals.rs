//! All ways by which texts come to the page but typing: links, files, long pastes, and the page around.

use js_sys::JsString;
use rules::settings::NodeProfile;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::use_embed::use_embed;
use super::use_file_drop::use_file_drop;
use super::use_fragment::use_fragment;
use super::use_inputs::{Go, are_own};
use super::use_long_paste::{Pasted, use_long_paste};
use crate::exports::NAME;
use crate::files;
use crate::fragment::Opened;
use crate::inputs::{Inputs, MOST, Source};
use crate::shell::Shell;
use crate::state::{Action, Refused, State};

/// Take what comes, read as `kind` where nothing else tells. The callback takes files that the user has chosen.
#[hook]
pub fn use_arrivals(
    shell: &Shell,
    state: &UseReducerHandle<State>,
    inputs: &Callback<(), Inputs>,
    go: &Callback<Go>,
    put_cursor: &Callback<usize>,
) -> Callback<Vec<web_sys::File>> {
    let kind = shell.embed.as_ref().and_then(|embed| embed.kind);
    let refuse = {
        let dispatch = state.dispatcher();
        Callback::from(move |why| dispatch.dispatch(Action::Refused(why)))
    };
    // New inputs come behind what the user would miss, and in place of anything else.
    let add = {
        let (go, inputs, example) = (go.clone(), inputs.clone(), state.example);
        Callback::from(move |more: Vec<Source>| {
            let before = inputs.emit(());
            go.emit(if are_own(&before, example) { Go::to(before.with(more)) } else { Go::instead(Inputs::of(more)) });
        })
    };

    let pasted = {
        let (add, go, inputs, refuse) = (add.clone(), go.clone(), inputs.clone(), refuse.clone());
        Callback::from(move |Pasted { text, over_all }: Pasted| {
            let inputs = inputs.emit(());
            match files::pasted(&inputs.new_name(), &text, inputs.room()) {
                Some(source) if over_all => go.emit(Go::instead(inputs.with_shown(source))),
                Some(source) => add.emit(vec![Source { kind: inputs.kind_of_paste(), ..source }]),
                None => refuse.emit(Refused::TooLong),
            }
        })
    };
    use_long_paste(&shell.input, pasted);

    let told = {
        let (go, refuse) = (go.clone(), refuse.clone());
        Callback::from(move |text: JsString| match files::pasted(NAME, &text, MOST) {
            Some(source) => go.emit(Go::instead(Inputs::of(vec![source])).of_kind(kind)),
            None => refuse.emit(Refused::TooLong),
        })
    };
    use_embed(shell, state, told);

    let opened = {
        let (put_cursor, go, dispatch, refuse) = (put_cursor.clone(), go.clone(), state.dispatcher(), refuse.clone());
        Callback::from(move |opened| match opened {
            Opened::Example(example) => go.emit(Go::example(example).of_kind(kind)),
            Opened::Shared(Ok(shared)) => {
                let node = shared.node();
                // A link that says nothing of the node takes nothing away of what was typed.
                if node != NodeProfile::default() {
                    dispatch.dispatch(Action::Node(node));
                }
                let line = shared.line;
                go.emit(Go::shared(files::fitting(&Inputs::of_shared(shared))).of_kind(kind));
                line.into_iter().for_each(|line| put_cursor.emit(line));
            }
            Opened::Shared(Err(fault)) => refuse.emit(Refused::Link(fault)),
        })
    };
    use_fragment(shell.input.text_length() == 0, opened);

    let files = {
        let inputs = inputs.clone();
        let readonly = shell.embed.as_ref().is_some_and(|embed| embed.readonly);
        Callback::from(move |files: Vec<web_sys::File>| {
            if readonly {
                return;
            }
            let (add, refuse, room) = (add.clone(), refuse.clone(), inputs.emit(()).room());
            spawn_local(async move {
                let (sources, refused) = files::read(&files, room).await;
                add.emit(sources);
                refused.into_iter().for_each(|why| refuse.emit(why));
            });
        })
    };
    use_file_drop(files.clone());
    files
}
