//! How fast whole pastes are checked, beside what their bytes cost at least: counting lines with memchr, and parsing
//! the same text with serde_json and serde_yaml.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rules::settings::Settings;
use rules::{Input, check};

/// Megabytes of each input; YAML stops at the first, because its parser needs minutes for the last.
const SIZES: [usize; 3] = [1, 10, 100];

/// A kubelet's journal in which nothing is wrong.
fn journal(bytes: usize) -> String {
    repeat(bytes, |n| {
        format!(
            "Aug 31 05:{:02}:{:02} node-a kubelet[4540]: I0831 05:03:23.{:06}    4540 kubelet_getters.go:306] \
             \"Path does not exist\" path=\"/var/lib/kubelet/pods/{:016x}/volumes\"\n",
            n / 60 % 60,
            n % 60,
            n % 1_000_000,
            n.wrapping_mul(0x9E37_79B9_7F4A_7C15)
        )
    })
}

/// `sysctl -a` of a node with many interfaces.
fn sysctl(bytes: usize) -> String {
    repeat(bytes, |n| format!("net.ipv4.conf.veth{n}.accept_local = {}\n", n % 2))
}

/// Values that stand in one line, which must not be gone through again for each of them.
fn line(bytes: usize) -> String {
    repeat(bytes, |_| "fs.inotify.max_user_instances = 128 ".to_owned())
}

/// `kubectl get pods -o json`.
fn pods(bytes: usize) -> String {
    let items = repeat(bytes, |n| {
        format!(
            "{}    {{\n      \"apiVersion\": \"v1\",\n      \"kind\": \"Pod\",\n      \"metadata\": {{\"name\": \"p{n}\"}},\n      \
             \"spec\": {{\n        \"containers\": [{{\n          \"name\": \"app\",\n          \"image\": \
             \"registry.example/app:1\",\n          \"resources\": {{\"limits\": {{\"memory\": \"256Mi\"}}}},\n          \
             \"volumeMounts\": [{{\"name\": \"v\", \"mountPath\": \"/m\"}}]\n        }}],\n        \"volumes\": [{{\"name\": \
             \"v\", \"emptyDir\": {{}}}}]\n      }}\n    }}",
            if n == 0 { "" } else { ",\n" }
        )
    });
    format!("{{\n  \"apiVersion\": \"v1\",\n  \"kind\": \"List\",\n  \"items\": [\n{items}\n  ]\n}}\n")
}

fn repeat(bytes: usize, line: impl Fn(u64) -> String) -> String {
    let mut text = String::with_capacity(bytes + 1024);
    for n in 0.. {
        if text.len() >= bytes {
            break;
        }
        text.push_str(&line(n));
    }
    text
}

fn reading(criterion: &mut Criterion) {
    for (name, make) in
        [("journal", journal as fn(usize) -> String), ("sysctl", sysctl), ("line", line), ("pods", pods)]
    {
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
        for megabytes in SIZES {
            let text = make(megabytes * 1_000_000);
            group.throughput(Throughput::Bytes(text.len() as u64));
            group.bench_function(BenchmarkId::new("check", megabytes), |bencher| {
                let inputs = [Input::new(name, text.as_str())];
                bencher.iter(|| check(black_box(&inputs), &Settings::default()));
            });
            group.bench_function(BenchmarkId::new("memchr", megabytes), |bencher| {
                bencher.iter(|| memchr::memchr_iter(b'\n', black_box(text.as_bytes())).count());
            });
            if name == "pods" {
                group.bench_function(BenchmarkId::new("serde_json", megabytes), |bencher| {
                    bencher.iter(|| serde_json::from_str::<serde_json::Value>(black_box(&text)).map(drop));
                });
                if megabytes == 1 {
                    group.bench_function(BenchmarkId::new("serde_yaml", megabytes), |bencher| {
                        bencher.iter(|| serde_yaml::from_str::<serde_yaml::Value>(black_box(&text)).map(drop));
                    });
                }
            }
        }
        group.finish();
    }
}

criterion_group!(benches, reading);
criterion_main!(benches);
