//! What stands in place of the textarea when a text is too long for it: what it is, and the lines around findings.

use yew::prelude::*;

use crate::checking::Excerpt;
use crate::inputs::Text;
use crate::places;
use crate::state::State;
use crate::words;

/// The notice and the excerpts of the input that is shown; nothing while that one can be edited.
pub(super) fn held_text(state: &State) -> Html {
    let Some((source, Text::Held { size, cut, .. })) = state.inputs.shown().map(|source| (source, &source.text)) else {
        return Html::default();
    };
    let name = words::input_name(state.lang, &source.name);
    let active = state.inputs.active();
    let excerpts = state.checked.iter().flat_map(|checked| &checked.excerpts);
    html! {
        <div class="held" tabindex="0" role="region" aria-label={name.clone()}>
            <p><b>{ name }</b>{ " " }{ words::size(state.lang, *size, *cut) }</p>
            <p>{ words::HELD.text(state.lang) }</p>
            { for excerpts.filter(|excerpt| excerpt.input == active).map(excerpt) }
        </div>
    }
}

/// Lines with their numbers.
fn excerpt(Excerpt { first_line, lines, .. }: &Excerpt) -> Html {
    html! {
        <ol class="excerpt">
            { for (*first_line..).zip(lines).map(|(number, line)| html! {
                <li id={places::held_id(number)} tabindex="-1"><span>{ number }</span><code>{ line }</code></li>
            }) }
        </ol>
    }
}
