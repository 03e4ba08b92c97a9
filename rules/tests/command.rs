//! The command as its users meet it: arguments and files in, text and exit status out.

#![allow(clippy::unwrap_used, reason = "a test may panic; clippy knows that only of test functions, not of helpers")]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Run the command with `stdin`, in an English locale.
fn noderisk(arguments: &[&str], stdin: impl AsRef<[u8]>) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_noderisk"))
        .args(arguments)
        .env_remove("LC_ALL")
        .env_remove("LC_MESSAGES")
        .env("LANG", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that stops on its arguments does not read; that is not what is tested here.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_ref());
    child.wait_with_output().unwrap()
}

fn status(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A fresh directory for one test.
fn directory(test: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// A Deployment whose only container writes to a memory volume; `limits` goes where its resources would stand.
fn deployment(limits: &str) -> String {
    format!(
        "\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: memvol
spec:
  replicas: 4
  template:
    spec:
      containers:
      - name: busybox
        image: busybox
        {limits}
        volumeMounts:
        - name: memvol
          mountPath: /memvol
      volumes:
      - name: memvol
        emptyDir:
          medium: Memory
"
    )
}

#[test]
fn an_unlimited_memory_volume_is_at_risk() {
    let output = noderisk(&[], deployment(""));
    assert_eq!(status(&output), 1);
    let text = stdout(&output);
    assert!(text.starts_with("At risk"), "{text}");
    assert!(text.contains("error[memory-volume-unlimited-writer]"), "{text}");
    assert!(text.contains("object: Deployment/memvol  container: busybox  volume: memvol\n"), "{text}");
    assert!(text.contains("--> stdin:10:9\n  10 |       - name: busybox\n     |         ^"), "{text}");
}

#[test]
fn the_limited_twin_has_no_risk() {
    let output = noderisk(&[], deployment("resources: {limits: {memory: 256Mi}}"));
    assert_eq!(status(&output), 0, "{}", stdout(&output));
    assert!(stdout(&output).starts_with("No risk found"), "{}", stdout(&output));
}

#[test]
fn a_version_alone_is_undecided_and_the_answer_names_the_next_command() {
    let cgroups = "$ cat /proc/self/cgroup\n13:misc:/kubepods/besteffort/pod1\n12:memory:/kubepods/besteffort/pod1\n";
    let output = noderisk(&[], cgroups);
    assert_eq!(status(&output), 2);
    assert!(stdout(&output).contains("\n  kubelet --version\n"), "{}", stdout(&output));
}

#[test]
fn inputs_are_judged_together() {
    let directory = directory("together");
    let write = |name: &str, text: &str| {
        let path = directory.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let kubelet = write("kubelet", "$ kubelet --version\nKubernetes v1.27.1\n");
    let runc = write("runc", "$ runc --version\nrunc version 1.1.7\n");
    let cgroup =
        "$ mount | grep misc\ncgroup on /sys/fs/cgroup/misc type cgroup (rw,nosuid,nodev,noexec,relatime,misc)\n";
    let output = noderisk(&["--format", "json", &kubelet, "-", &runc], cgroup);
    assert_eq!(status(&output), 1);
    let report = json(&output);
    assert_eq!(report["findings"][0]["rule"], "misc-cgroup-mismatch", "{report:#}");
    assert_eq!(status(&noderisk(&[&kubelet, &runc], "")), 2);
}

#[test]
fn directories_are_walked_in_order_without_hidden_files() {
    let directory = directory("walk");
    std::fs::create_dir_all(directory.join("b/c")).unwrap();
    std::fs::create_dir_all(directory.join(".git")).unwrap();
    for (name, text) in [
        ("b/c/limits", "fs.inotify.max_user_instances = 8192\n"),
        ("a.yaml", &deployment("resources: {limits: {memory: 1Gi}}")),
        (".git/hidden.yaml", &deployment("")),
        (".hidden.yaml", &deployment("")),
    ] {
        std::fs::write(directory.join(name), text).unwrap();
    }
    let output = noderisk(&[directory.to_str().unwrap()], "");
    assert_eq!(status(&output), 0, "{}", stdout(&output));
    let read: Vec<&str> = stdout(&output).lines().skip_while(|line| *line != "Read:").skip(1).collect();
    let path = |name: &str| directory.join(name).to_string_lossy().into_owned();
    assert_eq!(read.len(), 2, "{read:?}");
    assert!(read[0].trim_start().starts_with(&path("a.yaml")), "{read:?}");
    assert!(read[1].trim_start().starts_with(&path("b/c/limits")), "{read:?}");
}

#[test]
fn utf_16_with_a_byte_order_mark_is_text() {
    let text = "fs.inotify.max_user_instances = 128\r\n";
    let little: Vec<u8> = [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect();
    for bytes in [little, big] {
        let report = json(&noderisk(&["--format", "json"], bytes));
        assert_eq!(report["findings"][0]["rule"], "inotify-instances-low", "{report:#}");
    }
}

#[test]
fn the_node_can_be_described_by_flags() {
    // 25 + 2 x 110 instances are needed by default, 25 + 2 x 50 with fewer pods.
    let limit = "fs.inotify.max_user_instances = 128\n";
    assert_eq!(status(&noderisk(&[], limit)), 1);
    assert_eq!(status(&noderisk(&["--max-pods", "50"], limit)), 0);
    assert_eq!(status(&noderisk(&["--node-memory", "16Gi"], "")), 2);
    // On cgroup v1, pods need no instances.
    assert_eq!(status(&noderisk(&["--cgroups", "v1", "--runtime", "containerd"], limit)), 0);
    assert_eq!(status(&noderisk(&["--cgroups", "v2", "--runtime", "cri-o"], limit)), 1);
}

#[test]
fn empty_input_cannot_be_judged() {
    let output = noderisk(&[], "");
    assert_eq!(status(&output), 2);
    assert!(stdout(&output).starts_with("Cannot judge"), "{}", stdout(&output));
    assert_eq!(stderr(&output), "");
}

#[test]
fn binary_input_cannot_be_judged() {
    let output = noderisk(&["-"], b"\x7fELF\x02\x01\0\0\0\xff\xfe\x80fs.inotify.max_user_instances = 1");
    assert_eq!(status(&output), 2);
}

#[test]
fn json_has_the_shape_that_programs_rely_on() {
    let report = json(&noderisk(&["--format", "json"], "hello\n"));
    assert_eq!(report["version"], 1);
    assert_eq!(report["verdict"], "cannot-judge");
    let risks: Vec<&String> = report["risks"].as_object().unwrap().keys().collect();
    assert_eq!(risks, ["cgroup-cleanup", "inotify", "memcg", "memory-volume"]);
    for risk in report["risks"].as_object().unwrap().values() {
        assert_eq!(risk["status"], "no-evidence");
        assert!(risk["severity"].is_null() && risk["missing"].as_array().unwrap().is_empty());
    }
    for list in ["findings", "read", "unread"] {
        assert!(report[list].is_array(), "{list}");
    }
}

#[test]
fn inputs_that_cannot_be_read_are_all_named() {
    let output = noderisk(&["/no/such/manifest.yaml", "/no/such/log"], "");
    assert_eq!(status(&output), 66);
    assert_eq!(stdout(&output), "");
    let lines: Vec<&str> = stderr(&output).lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].starts_with("noderisk: cannot read /no/such/manifest.yaml: "), "{}", lines[0]);
    assert!(lines[1].starts_with("noderisk: cannot read /no/such/log: "), "{}", lines[1]);
}

#[test]
fn a_wrong_command_line_is_a_usage_error() {
    for arguments in [
        &["--bogus"][..],
        &["--format", "xml"],
        &["--lang", "tlh"],
        &["--max-pods", "0"],
        &["--max-pods", "many"],
        &["--node-memory", "0"],
        &["--runtime", "podman"],
        &["--cgroups", "2"],
        &["--node-memory", "16 GB"],
    ] {
        let output = noderisk(arguments, "");
        assert_eq!(status(&output), 64, "{arguments:?}");
        assert!(stderr(&output).contains(arguments[0]), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn help_and_version_are_no_errors() {
    let output = noderisk(&["--help"], "");
    assert_eq!(status(&output), 0);
    assert!(stdout(&output).contains("66 unreadable input"));
    let output = noderisk(&["--version"], "");
    let version = stdout(&output);
    assert!(version.starts_with(concat!("noderisk ", env!("CARGO_PKG_VERSION"), " (rules ")), "{version}");
}

#[test]
fn settings_are_read_from_yaml_and_json_and_faults_name_the_file() {
    let directory = directory("settings");
    let run = |name: &str, text: &str| {
        let path = directory.join(name);
        std::fs::write(&path, text).unwrap();
        noderisk(&["--settings", path.to_str().unwrap()], "")
    };
    assert_eq!(status(&run("good.yaml", "rules: {}\n")), 2);
    assert_eq!(status(&run("good.json", r#"{"rules": {}}"#)), 2);
    let output = run("bad.yaml", "colour: red\n");
    assert_eq!(status(&output), 64);
    assert!(stderr(&output).contains("bad.yaml") && stderr(&output).contains("colour"), "{}", stderr(&output));
    let output = noderisk(&["--settings", "/no/such/settings"], "");
    assert_eq!(status(&output), 66);
    assert!(stderr(&output).contains("/no/such/settings"));
}

#[test]
fn the_language_comes_from_the_flag_or_the_environment() {
    assert!(stdout(&noderisk(&["--lang", "ja"], "")).starts_with("判断できません"));
    assert!(stdout(&noderisk(&["--lang", "zh"], "")).starts_with("无法判断"));
    let japanese = noderisk(&["--lang", "ja"], deployment(""));
    assert!(stdout(&japanese).contains("\n  コンテナ busybox には"), "{}", stdout(&japanese));
    for (variable, value, start) in [
        ("LC_ALL", "ja_JP.UTF-8", "判断できません"),
        ("LC_MESSAGES", "zh_CN.UTF-8", "无法判断"),
        ("LANG", "zh", "无法判断"),
        ("LANG", "de_DE.UTF-8", "Cannot judge"),
        ("LANG", "jam", "Cannot judge"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_noderisk"))
            .env_remove("LC_ALL")
            .env_remove("LC_MESSAGES")
            .env("LANG", "en_GB.UTF-8")
            .env(variable, value)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(stdout(&output).starts_with(start), "{variable}={value}: {}", stdout(&output));
    }
}

#[test]
fn output_that_is_no_terminal_has_no_escape_sequences() {
    // The second one hides the sequences in YAML's own escapes, so that they are part of a name that findings quote.
    let raw = "\u{1b}[31mkind: Pod\u{1b}]0;owned\u{7}\u{9b}2J\n".to_owned();
    let escaped = deployment("").replace("busybox\n", "\"\\e[31mbusy\\x9b2J\\r\\nbox\"\n");
    for input in [raw, escaped] {
        for format in ["text", "json"] {
            let output = noderisk(&["--format", format], &input);
            assert!(!stdout(&output).chars().any(|c| c.is_control() && c != '\n'), "{:?}", stdout(&output));
        }
    }
    let output = noderisk(&[], deployment("").replace("busybox\n", "\"\\e[31mbusy\"\n"));
    assert!(stdout(&output).contains("Container ␛[31mbusy has"), "{}", stdout(&output));
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_noderisk"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    drop(child.stdin.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(status(&output), 2);
    assert_eq!(stderr(&output), "");
}

#[test]
fn markdown_and_sarif_are_formats() {
    let limit = "fs.inotify.max_user_instances = 128\n";
    let output = noderisk(&["--format", "markdown", "--lang", "zh"], limit);
    assert_eq!(status(&output), 1);
    assert!(stdout(&output).starts_with("# noderisk\n\n**有风险："), "{}", stdout(&output));
    let output = noderisk(&["--format", "sarif"], limit);
    assert_eq!(status(&output), 1);
    assert_eq!(json(&output)["runs"][0]["results"][0]["ruleId"], "inotify-instances-low");
}

#[test]
fn a_rule_is_explained_in_the_asked_language() {
    for (lang, title) in
        [("en", "# Too few inotify instances"), ("ja", "# ノードには低すぎる i"), ("zh", "# 节点的 inotify 实例")]
    {
        let output = noderisk(&["explain", "inotify-instances-low", "--lang", lang], "");
        assert_eq!(status(&output), 0);
        let text = stdout(&output);
        assert!(text.starts_with(title), "{text}");
        for part in ["sudo sysctl -w", "https://", "noderisk ", "--> examples/inotify-instances-low/"] {
            assert!(text.contains(part), "{lang} has no {part}");
        }
    }
}

#[test]
fn an_unknown_rule_is_a_usage_error_that_names_similar_ones() {
    let output = noderisk(&["explain", "inotify-instance-low"], "");
    assert_eq!(status(&output), 64);
    assert_eq!(stdout(&output), "");
    assert!(stderr(&output).contains("similar value") && stderr(&output).contains("'inotify-instances-low'"));
    assert_eq!(status(&noderisk(&["explain"], "")), 64);
}

#[test]
fn rules_are_listed_for_people_and_for_programs() {
    let output = noderisk(&["rules"], "");
    assert_eq!(status(&output), 0);
    let list = json(&noderisk(&["rules", "--format", "json", "--lang", "ja"], ""));
    assert_eq!(list.as_array().unwrap().len(), rules::rules::RULES.len());
    for rule in rules::rules::RULES {
        assert!(stdout(&output).lines().any(|line| line.contains(rule.id) && line.ends_with(rule.words.en.title)));
        let listed = list.as_array().unwrap().iter().find(|listed| listed["id"] == rule.id).unwrap();
        assert_eq!(listed["title"], rule.words.ja.title);
        assert_eq!(listed["risk"], rule.risk.id());
    }
}
