//! The inputs of the page: which there are, and which of them stands in the textarea.

use std::rc::Rc;

use rules::settings::NodeProfile;
use share::{Part, Shared};
use web_sys::Blob;

use crate::exports::NAME;
use crate::redact::{Redact, redact};

/// The longest text that can be edited, in UTF-16 code units: browsers lay out a longer one so slowly that a paste is felt
/// as a halt.
pub const EDITABLE: u32 = 256 * 1024;

/// The most that all inputs may have together, in bytes.
pub const MOST: u32 = 10 * 1024 * 1024;

/// All inputs; there always is one.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    list: Vec<Source>,
    active: usize,
}

/// One input.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// Its name in reports.
    pub name: Rc<str>,
    /// The kind that the user says it is of; otherwise the text tells.
    pub kind: Option<&'static str>,
    /// Its text.
    pub text: Text,
}

/// Text of an input.
#[derive(Clone, Debug, PartialEq)]
pub enum Text {
    /// It can be edited. While the input is in the textarea, what stands there counts.
    Typed(Rc<str>),
    /// It is too long for that, and stays outside of the page's memory.
    Held {
        /// UTF-8, or UTF-16 with a byte order mark.
        blob: Blob,
        /// Its size in bytes.
        size: u32,
        /// Whether it is only the start of a longer one.
        cut: bool,
    },
}

impl Default for Inputs {
    fn default() -> Self {
        Self { list: vec![Source::typed(NAME, "")], active: 0 }
    }
}

impl Source {
    /// A text that can be edited.
    #[must_use]
    pub fn typed(name: &str, text: &str) -> Self {
        Self { name: name.into(), kind: None, text: Text::Typed(text.into()) }
    }

    /// Its text when it can be edited.
    #[must_use]
    pub fn typed_text(&self) -> Option<&str> {
        match &self.text {
            Text::Typed(text) => Some(text),
            Text::Held { .. } => None,
        }
    }

    fn is_empty(&self) -> bool {
        self.typed_text() == Some("")
    }

    /// About how many bytes it has.
    #[must_use]
    pub fn size(&self) -> u32 {
        match &self.text {
            Text::Typed(text) => u32::try_from(text.len()).unwrap_or(u32::MAX),
            Text::Held { size, .. } => *size,
        }
    }
}

impl Inputs {
    /// These inputs, the first one in the textarea; one that is empty when there are none.
    #[must_use]
    pub fn of(list: Vec<Source>) -> Self {
        if list.is_empty() { Self::default() } else { Self { list, active: 0 } }
    }

    /// All of them, in order.
    #[must_use]
    pub fn list(&self) -> &[Source] {
        &self.list
    }

    /// Number of the one that is shown.
    #[must_use]
    pub fn active(&self) -> usize {
        self.active
    }

    /// The one that is shown.
    #[must_use]
    pub fn shown(&self) -> Option<&Source> {
        self.list.get(self.active)
    }

    /// The same with another text in place of the one that is shown.
    #[must_use]
    pub fn with_shown(mut self, source: Source) -> Self {
        if let Some(shown) = self.list.get_mut(self.active) {
            *shown = Source { name: Rc::clone(&shown.name), kind: shown.kind, ..source };
        }
        self
    }

    /// Whether the one that is shown can be edited.
    #[must_use]
    pub fn is_editable(&self) -> bool {
        self.shown().is_none_or(|source| source.typed_text().is_some())
    }

    /// Numbers of those that cannot be edited.
    pub fn held(&self) -> impl Iterator<Item = usize> {
        let list = self.list.iter().enumerate();
        list.filter_map(|(index, source)| source.typed_text().is_none().then_some(index))
    }

    /// Whether there is any text beside the one in the textarea.
    #[must_use]
    pub fn has_others(&self) -> bool {
        self.list
            .iter()
            .enumerate()
            .any(|(index, source)| (index != self.active || !self.is_editable()) && !source.is_empty())
    }

    /// About how many bytes they have together.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.list.iter().map(Source::size).fold(0, u32::saturating_add)
    }

    /// How many bytes may be added.
    #[must_use]
    pub fn room(&self) -> u32 {
        MOST.saturating_sub(self.size())
    }

    /// The same with the text of the textarea.
    #[must_use]
    pub fn saved(&self, text: &str) -> Self {
        let mut saved = self.clone();
        if let Some(Text::Typed(old)) = saved.list.get_mut(self.active).map(|source| &mut source.text)
            && **old != *text
        {
            *old = text.into();
        }
        saved
    }

    /// Add inputs behind the others, in place of a single empty one, and show the first new one.
    #[must_use]
    pub fn with(mut self, mut more: Vec<Source>) -> Self {
        if more.is_empty() {
            return self;
        }
        self.list.retain(|source| !source.is_empty());
        self.active = self.list.len();
        self.list.append(&mut more);
        self
    }

    /// A name that no input has: `paste-2`.
    #[must_use]
    pub fn new_name(&self) -> String {
        if self.list.iter().all(Source::is_empty) {
            return NAME.to_owned();
        }
        let is_free = |name: &String| self.list.iter().all(|source| *source.name != **name);
        (2..).map(|number| format!("paste-{number}")).find(is_free).unwrap_or_default()
    }

    /// The kind of what is pasted: that of the input on show, as long as that one is empty.
    #[must_use]
    pub fn kind_of_paste(&self) -> Option<&'static str> {
        self.shown().filter(|source| source.is_empty()).and_then(|source| source.kind)
    }

    /// Show another one.
    #[must_use]
    pub fn showing(mut self, index: usize) -> Self {
        self.active = index.min(self.list.len().saturating_sub(1));
        self
    }

    /// Take one away.
    #[must_use]
    pub fn without(mut self, index: usize) -> Self {
        if index < self.list.len() {
            self.list.remove(index);
        }
        if self.list.is_empty() {
            return Self::default();
        }
        let active = if self.active > index { self.active.saturating_sub(1) } else { self.active };
        self.showing(active)
    }

    /// The same without what `what` names, in texts and names alike. Texts that are held stay as they are.
    #[must_use]
    pub fn redacted(mut self, what: Redact) -> Self {
        let texts = self.list.iter().map(|source| source.typed_text().unwrap_or_default());
        let names = self.list.iter().map(|source| &*source.name);
        let mut shown = redact(&texts.chain(names).collect::<Vec<_>>(), what).into_iter();
        for (source, shown) in self.list.iter_mut().zip(shown.by_ref()) {
            if let Text::Typed(text) = &mut source.text {
                *text = shown.into();
            }
        }
        for (source, shown) in self.list.iter_mut().zip(shown) {
            if *source.name != *NAME {
                source.name = shown.into();
            }
        }
        self
    }

    /// The same with these texts in place of their own, also where one was held.
    #[must_use]
    pub fn with_texts(mut self, texts: &[String]) -> Self {
        for (source, text) in self.list.iter_mut().zip(texts) {
            source.text = Text::Typed(text.as_str().into());
        }
        self
    }

    /// What a link carries of them. Texts that are held are left out: no link is that long.
    #[must_use]
    pub fn shared(&self, node: &NodeProfile, line: Option<usize>) -> Shared {
        let typed = self.list.iter().filter_map(|source| Some((source, source.typed_text()?)));
        let mut parts = typed.map(|(source, text)| Part {
            name: source.name.to_string(),
            kind: source.kind.map(str::to_owned),
            text: text.to_owned(),
        });
        let first = parts.next().unwrap_or_default();
        let name = Some(first.name).filter(|name| name != NAME && !name.is_empty());
        let before = self.list.iter().take(self.active).filter(|source| source.typed_text().is_some()).count();
        let shown = Some(before).filter(|before| *before > 0 && self.is_editable());
        Shared { name, kind: first.kind, more: parts.collect(), shown, ..Shared::new(first.text, node, line) }
    }

    /// What a link carries.
    #[must_use]
    pub fn of_shared(shared: Shared) -> Self {
        let first = Part { name: shared.name.unwrap_or_else(|| NAME.to_owned()), kind: shared.kind, text: shared.text };
        let kind = |part: &Part| part.kind.as_deref().and_then(known_kind);
        let source = |part: Part| Source { kind: kind(&part), ..Source::typed(&part.name, &part.text) };
        let all = Self::of(std::iter::once(first).chain(shared.more).map(source).collect());
        all.showing(shared.shown.unwrap_or_default())
    }

    /// The same with the first one of that kind, as long as nobody has said of what kind it is.
    #[must_use]
    pub fn first_of(mut self, kind: Option<&'static str>) -> Self {
        if let Some(first) = self.list.first_mut() {
            first.kind = first.kind.or(kind);
        }
        self
    }

    /// Say of what kind one is.
    #[must_use]
    pub fn of_kind(mut self, index: usize, kind: Option<&'static str>) -> Self {
        if let Some(source) = self.list.get_mut(index) {
            source.kind = kind;
        }
        self
    }
}

/// The kind with that id, when this build knows it.
#[must_use]
pub fn known_kind(id: &str) -> Option<&'static str> {
    rules::show::words::kinds().find(|kind| *kind == id)
}

#[cfg(test)]
mod tests {
    use rules::settings::NodeProfile;
    use share::Shared;

    use super::{Inputs, Source};
    use crate::redact::Redact;

    fn names(inputs: &Inputs) -> Vec<&str> {
        inputs.list().iter().map(|source| &*source.name).collect()
    }

    fn two() -> Inputs {
        Inputs::default().with(vec![Source::typed("a", "1"), Source::typed("b", "2")])
    }

    #[test]
    fn new_inputs_take_the_place_of_an_empty_one_and_come_behind_any_other() {
        assert_eq!((names(&two()), two().active()), (vec!["a", "b"], 0));
        let three = two().saved("mine").with(vec![Source::typed("c", "3")]);
        assert_eq!((names(&three), three.active()), (vec!["a", "b", "c"], 2));
        assert_eq!(three.list()[0].typed_text(), Some("mine"));
    }

    #[test]
    fn a_removed_input_leaves_another_one_on_show() {
        let shown = |inputs: &Inputs| inputs.shown().unwrap().name.to_string();
        assert_eq!(shown(&two().showing(1).without(0)), "b");
        assert_eq!(shown(&two().showing(1).without(1)), "a");
        assert_eq!(shown(&two().showing(0).without(1)), "a");
        assert_eq!(two().without(0).without(0), Inputs::default());
        assert_eq!(two().without(7), two());
    }

    #[test]
    fn a_link_brings_all_back_and_a_single_paste_needs_no_name() {
        for inputs in [two().of_kind(1, Some("sysctl")), two().showing(1)] {
            let shared = inputs.shared(&NodeProfile::default(), None);
            assert_eq!(Inputs::of_shared(shared), inputs);
        }
        let beyond = Shared { shown: Some(9), ..two().shared(&NodeProfile::default(), None) };
        assert_eq!(Inputs::of_shared(beyond), two().showing(1));
        let one = Inputs::default().saved("text").shared(&NodeProfile::default(), None);
        assert_eq!((one.text.as_str(), one.name, one.more.is_empty()), ("text", None, true));
    }

    #[test]
    fn texts_and_names_are_redacted_together_but_for_the_name_of_a_paste() {
        let text = "root@worker-7:~# x\n";
        let inputs = Inputs::of(vec![Source::typed(super::NAME, text), Source::typed("worker-7.txt", "worker-7")]);
        let redacted = inputs.redacted(Redact::default());
        assert_eq!(names(&redacted), ["stdin", "host-1.txt"]);
        let texts: Vec<Option<&str>> = redacted.list().iter().map(Source::typed_text).collect();
        assert_eq!(texts, [Some("root@host-1:~# x\n"), Some("host-1")]);
    }

    #[test]
    fn the_first_input_gets_the_kind_that_is_asked_for_unless_it_has_one() {
        let kinds = |inputs: Inputs| inputs.list().iter().map(|source| source.kind).collect::<Vec<_>>();
        assert_eq!(kinds(two().first_of(Some("sysctl"))), [Some("sysctl"), None]);
        assert_eq!(kinds(two().of_kind(0, Some("log")).first_of(Some("sysctl"))), [Some("log"), None]);
        assert_eq!(kinds(two().of_kind(0, Some("log")).first_of(None)), [Some("log"), None]);
        let typed = Inputs::default().first_of(Some("sysctl")).saved("text");
        assert_eq!(kinds(typed.clone()), [Some("sysctl")]);
        assert_eq!(Inputs::default().first_of(Some("sysctl")).kind_of_paste(), Some("sysctl"));
        assert_eq!(typed.kind_of_paste(), None, "a paste beside a text is another input");
        assert_eq!(kinds(typed.of_kind(0, None).saved("more")), [None], "the reader has the last word");
    }

    #[test]
    fn names_are_unique() {
        assert_eq!(Inputs::default().new_name(), "stdin");
        let one = Inputs::default().saved("text");
        assert_eq!(one.new_name(), "paste-2");
        assert_eq!(one.with(vec![Source::typed("paste-2", "x")]).new_name(), "paste-3");
    }

    #[test]
    fn text_beside_the_textarea_is_known() {
        assert!(!Inputs::default().saved("text").has_others());
        assert!(two().has_others());
    }

    #[test]
    fn room_is_what_is_left_of_the_limit() {
        assert_eq!(two().room(), super::MOST - 2);
    }
}
