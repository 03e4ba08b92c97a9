//! From files, long pastes, messages and links to inputs. What is too long to be edited stays in the browser's memory.

use js_sys::{Array, JsString, Uint8Array};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, File, TextDecoder};

use crate::inputs::{EDITABLE, Inputs, MOST, Source, Text};
use crate::state::Refused;

/// A longer line is cut where there is no more room, in bytes.
const LONGEST_LINE: u32 = 64 * 1024;

/// The files as inputs, as far as there is room, in bytes; and why not all of them were taken as they are.
pub async fn read(files: &[File], mut room: u32) -> (Vec<Source>, Option<Refused>) {
    let (mut sources, mut refused) = (Vec::new(), None);
    for file in files {
        match one(file, room).await {
            Ok(source) => {
                room = room.saturating_sub(source.size());
                sources.push(source);
            }
            Err(why) => refused = Some(why),
        }
    }
    (sources, refused)
}

async fn one(file: &File, room: u32) -> Result<Source, Refused> {
    // UTF-16 has two bytes for what counts as one, and two more in front.
    if file.size() <= 2.0 * f64::from(EDITABLE + 1) {
        let text = text(file).await.ok_or(Refused::Unreadable)?;
        if text.encode_utf16().count() <= EDITABLE as usize {
            let fits = text.len() <= room as usize;
            // As the textarea has it, so that lines are the same whether it is on show or not.
            let text = || text.replace("\r\n", "\n").replace('\r', "\n");
            return fits.then(|| Source::typed(&file.name(), &text())).ok_or(Refused::TooLong);
        }
    }
    let end = last_line_feed(file, room).await;
    held(&file.name(), file, room, end).ok_or(Refused::TooLong)
}

/// Where the last whole line ends within the first `room` bytes: half a number would be another one.
async fn last_line_feed(blob: &Blob, room: u32) -> Option<u32> {
    let start = room.saturating_sub(LONGEST_LINE);
    let tail = blob.slice_with_f64_and_f64(f64::from(start), f64::from(room)).ok()?;
    let bytes = Uint8Array::new(&JsFuture::from(tail.array_buffer()).await.ok()?).to_vec();
    let last = bytes.iter().rposition(|byte| *byte == b'\n')?;
    u32::try_from(last).ok()?.checked_add(start)?.checked_add(1)
}

/// The text of a blob: UTF-8, or UTF-16 when it starts with the byte order mark that PowerShell writes. `None` when the
/// browser cannot read it.
async fn text(blob: &Blob) -> Option<String> {
    let bytes = Uint8Array::new(&JsFuture::from(blob.array_buffer()).await.ok()?);
    let encoding = match (bytes.at(0), bytes.at(1)) {
        (Some(0xff), Some(0xfe)) => "utf-16le",
        (Some(0xfe), Some(0xff)) => "utf-16be",
        _ => "utf-8",
    };
    TextDecoder::new_with_label(encoding).ok()?.decode_with_buffer_source(&bytes).ok()
}

/// A text that was pasted or sent, held beside the textarea when it is too long for that; `None` when there is no room
/// for it.
#[must_use]
pub fn pasted(name: &str, text: &JsString, room: u32) -> Option<Source> {
    if text.length() <= EDITABLE {
        let text = String::from(text);
        return (text.len() <= room as usize).then(|| Source::typed(name, &text));
    }
    let blob = Blob::new_with_str_sequence(&Array::of1(&JsValue::from(text))).ok()?;
    held(name, &blob, room, None)
}

/// The same inputs, each too long for the textarea held beside it.
#[must_use]
pub fn fitting(inputs: &Inputs) -> Inputs {
    let long = |source: &Source| {
        let text = source.typed_text().filter(|text| text.len() > EDITABLE as usize)?;
        Some(Source { kind: source.kind, ..pasted(&source.name, &text.into(), MOST)? })
    };
    let fitting = inputs.list().iter().map(|source| long(source).unwrap_or_else(|| source.clone()));
    Inputs::of(fitting.collect()).showing(inputs.active())
}

/// An input that stays where it is, cut at `end` where there is no room for all; `None` when there is hardly any.
fn held(name: &str, blob: &Blob, room: u32, end: Option<u32>) -> Option<Source> {
    if room <= EDITABLE {
        return None;
    }
    let cut = blob.size() > f64::from(room);
    let end = f64::from(end.unwrap_or(room));
    let blob = if cut { blob.slice_with_f64_and_f64(0.0, end).ok()? } else { blob.clone() };
    let text = Text::Held { size: bytes(blob.size()), blob, cut };
    Some(Source { text, ..Source::typed(name, "") })
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // The cast saturates.
fn bytes(size: f64) -> u32 {
    size as u32
}
