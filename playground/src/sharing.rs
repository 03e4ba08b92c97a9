//! A link for others: which lines it carries, and what is taken out of them first.

use rules::Input;
use rules::settings::Settings;
use serde::{Deserialize, Serialize};
use share::{LONG, encode, is_too_large};

use crate::excerpt::excerpt;
use crate::inputs::Inputs;
use crate::redact::Redact;

/// What was chosen for a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What to take out of the texts.
    pub redact: Redact,
    /// Leave out the lines that the report does not stand on, where the link would be long with them.
    pub shorten: bool,
    /// Number of the input on show.
    pub shown: usize,
    /// Numbers of the inputs that are too long to go into a link as a whole.
    pub held: Vec<usize>,
}

/// A link, and what it carries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The fragment of its address, which leads to no line yet; none where the page would refuse to open it.
    pub fragment: Option<String>,
    /// The texts that it carries, to look through.
    pub text: String,
    /// Whether there are lines that the report does not stand on.
    pub can_be_shorter: bool,
    /// Whether some inputs are left out of it.
    pub leaves_out: bool,
}

/// The link that carries `inputs`, whose texts are `texts`.
#[must_use]
pub fn link(inputs: &Inputs, texts: &[Input], settings: &Settings, choice: &Choice) -> Link {
    let all = inputs.clone().showing(choice.shown);
    let whole = choice.held.iter().rev().fold(all.clone(), |inputs, held| inputs.without(*held));
    let carried = |inputs: &Inputs| inputs.shared(&settings.node, None);
    let is_long = !choice.held.is_empty() || {
        let whole = carried(&whole);
        is_too_large(&whole) || encode(&whole).len() > LONG
    };
    let short = if is_long { excerpt(texts, settings) } else { None };
    let can_be_shorter = short.is_some();
    let short = short.filter(|_| choice.shorten).map(|texts| all.with_texts(&texts));
    let leaves_out = short.is_none() && !choice.held.is_empty();
    let shared = carried(&short.unwrap_or(whole).redacted(choice.redact));
    let further = shared.more.iter().map(|part| format!("\n--- {}\n{}", part.name, part.text));
    let first = shared.name.iter().map(|name| format!("--- {name}\n"));
    let text = first.collect::<String>() + &shared.text + &further.collect::<String>();
    let fragment = (!is_too_large(&shared)).then(|| encode(&shared));
    Link { fragment, text, can_be_shorter, leaves_out }
}

#[cfg(test)]
mod tests {
    use rules::Input;
    use rules::settings::Settings;
    use share::{LONG, TEXTS, decode};

    use super::{Choice, Link, link};
    use crate::inputs::{Inputs, Source};
    use crate::redact::Redact;

    const LIMIT: &str = "fs.inotify.max_user_instances = 128\n";

    fn choice() -> Choice {
        Choice { redact: Redact::default(), shorten: true, shown: 0, held: Vec::new() }
    }

    fn of(texts: &[&str], choice: &Choice) -> Link {
        let inputs = Inputs::of(texts.iter().map(|text| Source::typed("a", text)).collect());
        let texts: Vec<Input> = texts.iter().map(|text| Input::new("a", *text)).collect();
        link(&inputs, &texts, &Settings::default(), choice)
    }

    /// Settings that deflate does not shrink much.
    fn noise() -> String {
        (0..1_000_u64).map(|at| format!("net.noise_{} = {at}\n", at * 2_654_435_761 % 4_294_967_296)).collect()
    }

    #[test]
    fn a_short_text_goes_whole_and_redacted() {
        let link = of(&["10.1.2.3 chatter\n", LIMIT], &Choice { shown: 1, ..choice() });
        assert_eq!(link.text, format!("--- a\n192.0.2.1 chatter\n\n--- a\n{LIMIT}"));
        assert!(!link.can_be_shorter && !link.leaves_out);
        let carried = decode(&link.fragment.unwrap()).unwrap().unwrap();
        assert_eq!((carried.shown, carried.more.len()), (Some(1), 1));
    }

    #[test]
    fn a_long_text_leaves_out_what_its_report_does_not_stand_on_unless_all_is_wanted() {
        let text = noise() + LIMIT;
        let short = of(&[&text], &choice());
        assert!(short.can_be_shorter && short.fragment.unwrap().len() < LONG);
        assert_eq!(short.text.lines().filter(|line| !line.is_empty()).count(), 3, "{}", short.text);
        let whole = of(&[&text], &Choice { shorten: false, ..choice() });
        assert!(whole.can_be_shorter && whole.fragment.unwrap().len() > LONG);
        assert_eq!(whole.text, format!("--- a\n{text}"));
    }

    #[test]
    fn what_no_page_would_open_gets_no_link() {
        assert!(of(&[LIMIT; TEXTS], &choice()).fragment.is_some());
        assert_eq!(of(&[LIMIT; TEXTS + 1], &choice()).fragment, None);
    }

    /// Two machines, of which only the first one's kernel leaks.
    #[test]
    fn machines_of_several_inputs_stay_apart() {
        let texts = [
            "root@worker-7:~# uname -r\n3.10.0-957.el7.x86_64\n",
            "root@worker-9:~# cat /proc/cmdline\nroot=/dev/sda1 cgroup.memory=nokmem\n",
        ];
        let text = of(&texts, &choice()).text;
        assert!(text.contains("root@host-1") && text.contains("root@host-2"), "{text}");
    }

    #[test]
    fn what_is_held_goes_by_its_telling_lines_or_not_at_all() {
        let held = Choice { held: vec![1], ..choice() };
        let telling = of(&["chatter\n", &(noise() + LIMIT)], &held);
        assert!(telling.text.contains(LIMIT.trim_end()) && !telling.leaves_out);
        let whole = of(&["chatter\n", &(noise() + LIMIT)], &Choice { shorten: false, ..held.clone() });
        assert!(!whole.text.contains(LIMIT.trim_end()) && whole.leaves_out);
        let nothing = of(&["chatter\n", &"noise\n".repeat(9)], &held);
        assert!(nothing.text.ends_with("chatter\n") && nothing.leaves_out && !nothing.can_be_shorter);
    }
}
