//! The report in the forms that leave the page: byte for byte what the command writes for the same text.

use rules::Input;
use rules::rules::Lang;
use rules::settings::Settings;
use rules::show::{json::json, markdown::Markdown, sarif::sarif};

/// Name of the pasted text in reports; the command calls its standard input the same.
pub const NAME: &str = "stdin";

/// A form of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For tickets.
    Markdown,
    /// For programs.
    Json,
    /// For code scanning services and editors (SARIF 2.1.0).
    Sarif,
}

impl Format {
    /// All forms, in the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::Markdown, Self::Json, Self::Sarif];

    /// Its name, the same in every language.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Markdown => "Markdown",
            Self::Json => "JSON",
            Self::Sarif => "SARIF",
        }
    }

    /// The file that it is saved as.
    #[must_use]
    pub const fn file(self) -> &'static str {
        match self {
            Self::Markdown => "noderisk.md",
            Self::Json => "noderisk.json",
            Self::Sarif => "noderisk.sarif",
        }
    }

    /// Its media type.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Markdown => "text/markdown",
            Self::Json => "application/json",
            Self::Sarif => "application/sarif+json",
        }
    }
}

/// Check `inputs` and write the report. They are checked anew, so that the report is about what stands there now.
/// `None` when the report cannot be written, which no text causes.
#[must_use]
pub fn export(inputs: &[Input], settings: &Settings, lang: Lang, format: Format) -> Option<String> {
    let report = rules::check(inputs, settings);
    match format {
        Format::Markdown => Some(Markdown::new(&report, inputs, lang).to_string()),
        Format::Json => json(&report).ok(),
        Format::Sarif => sarif(&report, inputs, lang).ok(),
    }
}

#[cfg(test)]
mod tests {
    use rules::rules::Lang;
    use rules::settings::Settings;
    use rules::{Input, check};

    use super::{Format, export};
    use crate::examples::EXAMPLES;

    /// What `noderisk --format FORMAT --lang LANG < FILE` writes.
    fn of_command(text: &str, lang: Lang, format: Format) -> String {
        let inputs = [Input::new("stdin", text)];
        let report = check(&inputs, &Settings::default());
        match format {
            Format::Markdown => rules::show::markdown::Markdown::new(&report, &inputs, lang).to_string(),
            Format::Json => rules::show::json::json(&report).unwrap(),
            Format::Sarif => rules::show::sarif::sarif(&report, &inputs, lang).unwrap(),
        }
    }

    #[test]
    fn every_form_of_every_example_is_what_the_command_writes() {
        let langs = Lang::ALL.into_iter().cycle();
        for (example, (lang, _)) in EXAMPLES.iter().zip(langs) {
            for format in Format::ALL {
                let exported =
                    export(&[Input::new(super::NAME, example.text)], &Settings::default(), lang, format).unwrap();
                assert_eq!(exported, of_command(example.text, lang, format), "{}", example.address());
            }
        }
    }

    #[test]
    fn each_form_is_of_its_kind() {
        let bad = EXAMPLES.iter().find(|example| example.is_bad()).unwrap();
        let export =
            |format| export(&[Input::new(super::NAME, bad.text)], &Settings::default(), Lang::En, format).unwrap();
        assert!(export(Format::Markdown).starts_with("# noderisk\n"));
        assert!(export(Format::Json).contains("\"verdict\": \"at-risk\""));
        assert!(export(Format::Sarif).contains("\"uri\": \"stdin\""));
    }
}
