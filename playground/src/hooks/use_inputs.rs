//! The inputs as they stand, and the way from these to others.

use std::rc::Rc;

use yew::prelude::*;

use crate::examples::Example;
use crate::exports::NAME;
use crate::fragment;
use crate::inputs::{Inputs, Source};
use crate::shell::{self, Shell};
use crate::state::{Action, State};

/// Gives the inputs as they stand, and goes to others. Both see the present whenever they are called, and keep their
/// identity, so that the report is not rendered anew at each key.
#[hook]
pub fn use_inputs(shell: &Shell, state: &UseReducerHandle<State>) -> (Callback<(), Inputs>, Callback<Go>) {
    let latest = use_mut_ref(|| (**state).clone());
    *latest.borrow_mut() = (**state).clone();
    let inputs = {
        let latest = latest.clone();
        use_callback(shell.input.clone(), move |(), input| latest.borrow().inputs.saved(&input.value()))
    };
    let go = {
        let (dispatch, inputs) = (state.dispatcher(), inputs.clone());
        use_callback(shell.clone(), move |to: Go, shell| {
            let before = inputs.emit(());
            let is_alone = before.list().len() == 1;
            let shown = name_shown(&before);
            let (replaced, example) = {
                let now = latest.borrow();
                let own = are_own(&before, now.example);
                // What was taken away before counts until it is back.
                let kept = now.replaced.clone().filter(|kept| !to.replaces || **kept != to.inputs);
                let replaced = Some(Rc::new(before)).filter(|_| to.replaces && own).or(kept);
                (replaced, to.example.or(now.example.filter(|_| !to.replaces)))
            };
            fill(shell, &to, is_alone, shown.as_deref());
            // Whoever asks before the next rendering gets these.
            latest.borrow_mut().inputs = to.inputs.clone();
            let length = shell.input.text_length();
            dispatch.dispatch(Action::Inputs { inputs: to.inputs, length, example, replaced });
            fragment::write(to.fragment.as_deref());
        })
    };
    (inputs, go)
}

/// Put the text to show into the textarea, where the one of the input `shown` stands so far.
fn fill(shell: &Shell, to: &Go, was_alone: bool, shown: Option<&str>) {
    let input = &shell.input;
    let text = to.inputs.shown().and_then(Source::typed_text).unwrap_or_default();
    let focused = shell::focused();
    if was_alone && to.inputs.list().len() == 1 {
        if input.value() != text {
            shell::put(input, text);
        }
    } else if shown != name_shown(&to.inputs).as_deref() || input.value() != text {
        shell::switch(input, text);
    }
    if to.replaces {
        if to.inputs.is_editable() {
            // What is hidden takes no focus.
            input.set_hidden(false);
        }
        shell::give_back(focused, shell);
    }
}

fn name_shown(inputs: &Inputs) -> Option<Rc<str>> {
    inputs.shown().map(|source| Rc::clone(&source.name))
}

/// Whether the user would miss these inputs: they are more than the untouched example.
pub(super) fn are_own(inputs: &Inputs, example: Option<&Example>) -> bool {
    let text = inputs.shown().and_then(Source::typed_text).unwrap_or_default();
    let is_example = example.is_some_and(|example| text.lines().eq(example.text.lines()));
    inputs.has_others() || !text.is_empty() && !is_example
}

/// Where to go: which inputs there are to be.
pub struct Go {
    inputs: Inputs,
    /// Whether they take the place of all that was there, which can then be brought back.
    replaces: bool,
    /// The example that they are.
    example: Option<&'static Example>,
    /// The fragment that opens them.
    fragment: Option<String>,
}

impl Go {
    /// To these, which hold what was there, or show another one of it.
    #[must_use]
    pub fn to(inputs: Inputs) -> Self {
        Self { inputs, replaces: false, example: None, fragment: None }
    }

    /// To these, in place of all that was there.
    #[must_use]
    pub fn instead(inputs: Inputs) -> Self {
        Self { replaces: true, ..Self::to(inputs) }
    }

    /// To an example.
    #[must_use]
    pub fn example(example: &'static Example) -> Self {
        let inputs = Inputs::of(vec![Source::typed(NAME, example.text)]);
        Self { example: Some(example), fragment: Some(fragment::of(example)), ..Self::instead(inputs) }
    }

    /// To what the address opens, and leave it there.
    #[must_use]
    pub fn shared(inputs: Inputs) -> Self {
        Self { fragment: Some(fragment::read()), ..Self::instead(inputs) }
    }

    /// The same with the first input read as that kind, unless it has one of its own.
    #[must_use]
    pub fn of_kind(self, kind: Option<&'static str>) -> Self {
        Self { inputs: self.inputs.first_of(kind), ..self }
    }
}
