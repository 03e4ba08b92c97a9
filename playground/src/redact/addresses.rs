//! Addresses of the network and of its cards.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::runs;

/// A text with other addresses: those that are set apart for documents (RFC 5737, RFC 3849), the same one for the same.
pub(super) fn addresses(text: &str) -> String {
    let mut known: HashMap<IpAddr, usize> = HashMap::new();
    let mut replace = |address: IpAddr| {
        if address.is_loopback() || address.is_unspecified() {
            return None;
        }
        let next = known.len();
        let number = *known.entry(address).or_insert(next);
        Some(match address {
            IpAddr::V4(_) => documentation_v4(number).to_string(),
            IpAddr::V6(_) => Ipv6Addr::from((0x2001_0db8_u128 << 96) + number as u128 + 1).to_string(),
        })
    };
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_');
    let text = runs(text, &is_part, &mut |_, run| {
        let bare = run.trim_end_matches('.');
        let dots = run.get(bare.len()..).unwrap_or_default();
        // `node_10.1.2.3`, but not the version `el8_4.18.0.1`, whose word ends in a number.
        let (word, number) = bare.rsplit_once('_').unwrap_or(("", bare));
        let is_name = word.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
        let address: Ipv4Addr = number.parse().ok().filter(|_| is_name)?;
        let before = bare.get(..bare.len() - number.len())?;
        Some(format!("{before}{}{dots}", replace(address.into())?))
    });
    let mut cards: HashMap<String, usize> = HashMap::new();
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | ':');
    runs(&text, &is_part, &mut |_, run| {
        let bare = run.trim_end_matches(['.', ':']);
        if is_mac(bare) {
            let next = cards.len();
            let number = *cards.entry(bare.to_ascii_lowercase()).or_insert(next);
            // Those that are set apart for documents (RFC 7042); the last one for all that are beyond.
            let last = u8::try_from(number).unwrap_or(u8::MAX);
            return Some(format!("00:00:5e:00:53:{last:02x}{}", run.get(bare.len()..).unwrap_or_default()));
        }
        let address: Ipv6Addr = bare.parse().ok().filter(|_| bare.len() > 2)?;
        Some(replace(address.into())? + run.get(bare.len()..).unwrap_or_default())
    })
}

/// The address of a network card; none that stands for all or for nothing.
fn is_mac(run: &str) -> bool {
    let is_pair = |pair: &str| pair.len() == 2 && pair.chars().all(|c| c.is_ascii_hexdigit());
    let says_something =
        run.chars().any(|c| !matches!(c, '0' | ':')) && run.chars().any(|c| !matches!(c, 'f' | 'F' | ':'));
    run.len() == 17 && says_something && run.split(':').count() == 6 && run.split(':').all(is_pair)
}

/// The address with this number among those for documents; the last one for all that are beyond.
fn documentation_v4(number: usize) -> Ipv4Addr {
    let networks = [[192, 0, 2], [198, 51, 100], [203, 0, 113]];
    let [a, b, c] = networks.get(number / 254).copied().unwrap_or([203, 0, 113]);
    let last = if number / 254 < networks.len() { number % 254 + 1 } else { 255 };
    Ipv4Addr::new(a, b, c, u8::try_from(last).unwrap_or(u8::MAX))
}

#[cfg(test)]
mod tests {
    use crate::redact::all;

    #[test]
    fn addresses_become_those_for_documents_and_versions_stay() {
        assert_eq!(
            all("10.1.2.3:10250 10.1.2.4-10.1.2.3. [fe80::1]:80 127.0.0.1 ::1 0.0.0.0"),
            "192.0.2.1:10250 192.0.2.2-192.0.2.1. [2001:db8::3]:80 127.0.0.1 ::1 0.0.0.0"
        );
        assert_eq!(
            all("node_10.1.2.3 00:1a:2b:3c:4d:5e 00:1a:2b:3c:4d:5f 00:1A:2B:3C:4D:5E"),
            "node_192.0.2.1 00:00:5e:00:53:00 00:00:5e:00:53:01 00:00:5e:00:53:00"
        );
        for text in [
            "4.18.0-305.25.1.el8_4.x86_64",
            "v1.27.1",
            "12:34:56.789",
            "std::fmt",
            "ff:ff:ff:ff:ff:ff",
            "1.2.3",
            "el8_4.18.0.1",
        ] {
            assert_eq!(all(text), text);
        }
    }
}
