//! The built module in a waPC host: what a policy-server would see. Needs `make policy.wasm`.

#[cfg(test)]
mod admission;
#[cfg(test)]
mod host;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod limit_ranges;
#[cfg(test)]
mod mutation;
#[cfg(test)]
mod node;
#[cfg(test)]
mod packaging;
#[cfg(test)]
mod parity;
#[cfg(test)]
mod protocol;
