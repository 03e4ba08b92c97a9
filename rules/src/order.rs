//! One sort for everything that is sorted. The standard library's is compiled anew for each type, about four kilobytes
//! of WebAssembly each time; this one sorts positions, whatever stands there.

use std::cmp::Ordering;

/// Sort `items`; those that compare as equal keep their order.
pub fn sort_by<T>(items: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    if items.len() < 2 {
        return;
    }
    let positions = positions(items.len(), &|a, b| match (items.get(a), items.get(b)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    });
    let mut unsorted: Vec<Option<T>> = items.drain(..).map(Some).collect();
    items.extend(positions.into_iter().filter_map(|position| unsorted.get_mut(position)?.take()));
}

/// The positions below `count` in the order of what stands there.
fn positions(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..count).collect();
    positions.sort_by(|&a, &b| compare(a, b));
    positions
}

#[cfg(test)]
mod tests {
    use super::sort_by;

    #[test]
    fn equal_items_keep_their_order() {
        let sorted = |mut items: Vec<(i32, &'static str)>| {
            sort_by(&mut items, |a, b| a.0.cmp(&b.0));
            items
        };
        assert_eq!(sorted(vec![(2, "a"), (1, "b"), (2, "c"), (1, "d")]), [(1, "b"), (1, "d"), (2, "a"), (2, "c")]);
        assert_eq!(sorted(vec![(1, "a")]), [(1, "a")]);
        assert_eq!(sorted(Vec::new()), []);
    }
}
