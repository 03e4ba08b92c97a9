//! Ratcheting as Kubernetes does it (KEP-4008): what an update leaves as it was does not count against it.

use std::collections::BTreeMap;

use crate::report::Finding;

/// Each finding, and whether the update added it. One that was there before as well, at the same part and with the same
/// values, was not.
pub fn added<'a>(findings: &'a [Finding], before: &[Finding]) -> impl Iterator<Item = (&'a Finding, bool)> {
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for finding in before {
        *known.entry(identity(finding)).or_default() += 1;
    }
    findings.iter().map(move |finding| match known.get_mut(&identity(finding)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            (finding, false)
        }
        _ => (finding, true),
    })
}

/// What stays the same while other parts of the object change: positions in lists and suggested values do not.
fn identity(finding: &Finding) -> String {
    let names = [&finding.object, &finding.container, &finding.volume].map(|name| name.as_deref().unwrap_or_default());
    let observed = finding.evidence.iter().map(|evidence| evidence.observed.as_str());
    // No name holds a line end.
    std::iter::once(finding.rule.as_ref()).chain(names).chain(observed).collect::<Vec<_>>().join("\n")
}
