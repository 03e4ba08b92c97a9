//! The rule core as a JavaScript module: what the command does, for node and browsers.
//!
//! The types that JavaScript sees are in `npm/index.d.ts`. Values cross the border as JSON: a report is by far smaller
//! than the text it is about, and so its shape is exactly that of `noderisk --format json`.

mod options;

use js_sys::{Array, JSON, Reflect};
use rules::Input;
use rules::report::Report;
use rules::rules::{Lang, Rule, find};
use rules::show::markdown::{Markdown, RulePage};
use rules::show::{json::json, list, sarif::sarif};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use crate::options::Options;

/// Name of a text that comes without one; the command calls its standard input the same.
const NAME: &str = "stdin";

/// Check one text or several together.
///
/// # Errors
/// The input is neither text nor a list of `{name, text}`, or an option is wrong.
#[wasm_bindgen]
pub fn check(input: &JsValue, options: &JsValue) -> Result<JsValue, JsError> {
    let (inputs, options) = (inputs(input)?, read(options)?);
    parsed(&json(&checked(&inputs, &options))?)
}

/// Check, and write the report as the command does with `--format`.
///
/// # Errors
/// Those of [`check`], and a format that does not exist.
#[wasm_bindgen]
pub fn render(input: &JsValue, format: &str, options: &JsValue) -> Result<String, JsError> {
    let (inputs, options) = (inputs(input)?, read(options)?);
    let report = checked(&inputs, &options);
    match format {
        "markdown" => Ok(Markdown::new(&report, &inputs, options.lang).to_string()),
        "json" => Ok(json(&report)?),
        "sarif" => Ok(sarif(&report, &inputs, options.lang)?),
        _ => Err(JsError::new(&format!("unknown format {format:?}; there are \"markdown\", \"json\" and \"sarif\""))),
    }
}

/// What a rule is about, in one language; `undefined` when there is no such rule.
///
/// # Errors
/// There are no words in that language.
#[wasm_bindgen]
pub fn explain(rule: &str, lang: Option<String>) -> Result<JsValue, JsError> {
    let lang = options::lang(lang.as_deref()).map_err(|fault| JsError::new(&fault))?;
    find(rule).map_or(Ok(JsValue::UNDEFINED), |rule| parsed(&explanation(rule, lang).to_string()))
}

/// All rules, sorted by id.
///
/// # Errors
/// There are no words in that language.
#[wasm_bindgen]
pub fn rules(lang: Option<String>) -> Result<JsValue, JsError> {
    let lang = options::lang(lang.as_deref()).map_err(|fault| JsError::new(&fault))?;
    parsed(&list::json(lang)?)
}

/// The fragment that makes the page open with that text.
///
/// # Errors
/// An option is wrong, or the text is longer than the page opens.
#[wasm_bindgen]
pub fn link(text: String, options: &JsValue) -> Result<String, JsError> {
    let options = read(options)?;
    let shared = share::Shared::new(text, &options.settings.node, options.line);
    if share::is_too_large(&shared) {
        return Err(JsError::new(&format!("a link carries no more than {} MB", share::INFLATED >> 20)));
    }
    Ok(share::encode(&shared))
}

fn checked(inputs: &[Input], options: &Options) -> Report {
    rules::check(inputs, &options.settings)
}

fn explanation(rule: &'static Rule, lang: Lang) -> Value {
    let words = rule.words.text(lang);
    serde_json::json!({
        "id": rule.id,
        "risk": rule.risk,
        "severity": rule.severity,
        "title": words.title,
        "why": words.why,
        "fix": words.fix,
        "remedy": rule.remedy,
        "links": rule.links,
        "markdown": RulePage { rule, lang, notes: true }.to_string(),
    })
}

/// A text, `{name, text}`, or an array of such.
fn inputs(value: &JsValue) -> Result<Vec<Input<'static>>, JsError> {
    match value.dyn_ref::<Array>() {
        Some(several) => several.iter().map(|value| input(&value)).collect(),
        None => Ok(vec![input(value)?]),
    }
}

fn input(value: &JsValue) -> Result<Input<'static>, JsError> {
    if let Some(text) = value.as_string() {
        return Ok(Input::new(NAME, text));
    }
    let field = |name: &str| Reflect::get(value, &name.into()).ok()?.as_string();
    match field("text") {
        Some(text) => Ok(Input::new(field("name").unwrap_or_else(|| NAME.to_owned()), text)),
        None => Err(JsError::new("an input is a string, or an object with a string `text` and perhaps a `name`")),
    }
}

fn read(options: &JsValue) -> Result<Options, JsError> {
    let json =
        if options.is_undefined() { None } else { JSON::stringify(options).ok().and_then(|json| json.as_string()) };
    Options::read(json.as_deref().unwrap_or("null")).map_err(|fault| JsError::new(&fault))
}

fn parsed(json: &str) -> Result<JsValue, JsError> {
    JSON::parse(json).map_err(|_| JsError::new("the report is no JSON"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_package_has_the_version_of_the_workspace() {
        let package: serde_json::Value = serde_json::from_str(include_str!("../npm/package.json")).unwrap();
        assert_eq!(package["version"], env!("CARGO_PKG_VERSION"));
    }
}
