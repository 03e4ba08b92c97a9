//! The forms in which people paste: one line of the table per form, with what an expert would conclude.

use std::fmt::Write as _;

use rules::report::Risk::{self, CgroupCleanup, Inotify, Memcg, MemoryVolume};
use rules::report::Status::{self, AtRisk, NoEvidence, Ok, Undecided};
use rules::settings::Settings;
use rules::{Input, check};

/// A form: what it is called, the paste, the risk it is about, the state of that risk, and rules that must fire. No
/// other risk may be at risk.
type Form = (&'static str, &'static str, Risk, Status, &'static [&'static str]);

const LOW: &[&str] = &["inotify-instances-low"];
const EXHAUSTED: &[&str] = &["inotify-instances-exhausted"];
const WATCHES: &[&str] = &["inotify-watches-exhausted"];
const IDS: &[&str] = &["memcg-ids-exhausted"];
const MISC: &[&str] = &["misc-cgroup-mismatch"];
const WRITER: &[&str] = &["memory-volume-unlimited-writer"];

const TEXT: &[Form] = &[
    ("CRLF and trailing blanks", "fs.inotify.max_user_instances = 128   \r\n", Inotify, AtRisk, LOW),
    ("tabs and blanks in one table", "memory\t4  \t 65,001\t1\n", Memcg, AtRisk, IDS),
    (
        "a tab behind a YAML value",
        "kind: Pod\napiVersion: v1\nspec:\n  containers:\n  - name: a\n    resources: {limits: {memory: \"1Gi\"}}\t\n    volumeMounts: [{name: v, mountPath: /v}]\n  volumes: [{name: v, emptyDir: {medium: Memory}}]\n",
        MemoryVolume,
        Ok,
        &[],
    ),
    (
        "colour inside a key",
        "fs.\u{1b}[01;31m\u{1b}[Kinotify\u{1b}[m\u{1b}[K.max_user_instances = 100",
        Inotify,
        AtRisk,
        LOW,
    ),
    (
        "nested quote marks",
        "> On Monday you wrote:\n> > fs.inotify.max_user_instances = 128\n> Ouch.",
        Inotify,
        AtRisk,
        LOW,
    ),
    (
        "a fence with the command on its line",
        "```sysctl fs.inotify\nfs.inotify.max_user_instances = 128\n```",
        Inotify,
        AtRisk,
        LOW,
    ),
    ("a fence around one value", "$ sysctl -n fs.inotify.max_user_instances\n```128```", Inotify, AtRisk, LOW),
    ("a stray fence at the end", "fs.inotify.max_user_instances = 8192\n ```   ", Inotify, Ok, &[]),
    ("a lone backtick as fence", "`\nfs.inotify.max_user_instances = 128\n`", Inotify, AtRisk, LOW),
    ("backticks around the line", "`fs.inotify.max_user_instances = 128`", Inotify, AtRisk, LOW),
    ("bold log line", "**failed to create fsnotify watcher: too many open files**", Inotify, AtRisk, EXHAUSTED),
    (
        "two prompts glued",
        "$ docker exec -it kind-worker -- bash[root@kind-worker /]# cat /proc/sys/fs/inotify/max_user_instances\n128",
        Inotify,
        AtRisk,
        LOW,
    ),
    ("an escaped root prompt", "\\# sysctl -n fs.inotify.max_user_instances\n128", Inotify, AtRisk, LOW),
    (
        "a Windows prompt over ssh",
        "C:\\> ssh core@node-3 cat /proc/sys/fs/inotify/max_user_instances\r\n128\r\n",
        Inotify,
        AtRisk,
        LOW,
    ),
    ("no prompt at all", "cat /proc/sys/fs/inotify/max_user_instances\n128", Inotify, AtRisk, LOW),
    (
        "line breaks lost",
        "$ sysctl fs.inotify fs.inotify.max_queued_events = 16384 fs.inotify.max_user_instances = 128 fs.inotify.max_user_watches = 524288",
        Inotify,
        AtRisk,
        LOW,
    ),
    (
        "line breaks as literal \\n",
        "## Limits\\n\\nfs.inotify.max_user_instances = 128\\nfs.inotify.max_user_watches = 524288\\n",
        Inotify,
        AtRisk,
        LOW,
    ),
    (
        "a word broken by a hard wrap",
        "May 02 21:33:54 node-a.us-west-2.compute.internal kubelet[1378]: E0502 21:33:54.838225 1 kubelet.go:1 err=\"failed to create fsno\ntify watcher: too many open files\"\n",
        Inotify,
        AtRisk,
        EXHAUSTED,
    ),
    ("a line cut at the right edge", "failed to create fsnotify watcher: too many ope>", Inotify, AtRisk, EXHAUSTED),
    ("thousands separators", "root (UID 0) at 8,190/8,192 inotify instances", Inotify, AtRisk, EXHAUSTED),
    (
        "Japanese between commands",
        "上限を確認します。\n$ sysctl fs.inotify.max_user_instances\nfs.inotify.max_user_instances = 128\n少なすぎるようです。",
        Inotify,
        AtRisk,
        LOW,
    ),
    (
        "Chinese between commands",
        "先看内核限制：\n# sysctl fs.inotify.max_user_instances\nfs.inotify.max_user_instances = 128\n太小了",
        Inotify,
        AtRisk,
        LOW,
    ),
    (
        "curly quotes in GNU messages",
        "mkdir: cannot create directory ‘/sys/fs/cgroup/memory/x’: No space left on device",
        Memcg,
        AtRisk,
        IDS,
    ),
];

const INOTIFY: &[Form] = &[
    ("sysctl.conf style", "fs.inotify.max_user_instances=128", Inotify, Undecided, &[]),
    ("YAML", "sysctls:\n  fs.inotify.max_user_instances: \"512\"\n", Inotify, Undecided, &[]),
    ("YAML list of settings", "  - fs.inotify.max_user_instances=8192\n", Inotify, Undecided, &[]),
    (
        "inotify-info",
        "INotify Limits:\n  max_queued_events    16,384\n  max_user_instances   128\n  max_user_watches     1,048,576\n",
        Inotify,
        AtRisk,
        LOW,
    ),
    (
        "user-namespace names",
        "user.max_inotify_instances = 128\nuser.max_inotify_watches = 524288",
        Inotify,
        AtRisk,
        LOW,
    ),
    (
        "the last live value wins",
        "fs.inotify.max_user_instances = 128\n# sysctl -w fs.inotify.max_user_instances=4096\nfs.inotify.max_user_instances = 4096\n",
        Inotify,
        Ok,
        &[],
    ),
    ("echo into /proc", "# echo 4096 > /proc/sys/fs/inotify/max_user_instances\n# uname -r", Inotify, Ok, &[]),
    (
        "a file written for later",
        "echo fs.inotify.max_user_instances=8192 | sudo tee -a /etc/sysctl.d/9.conf",
        Inotify,
        Undecided,
        &[],
    ),
    ("a file read", "$ cat /etc/sysctl.d/99-k8s.conf\nfs.inotify.max_user_instances = 8192\n", Inotify, Undecided, &[]),
    (
        "find and wc",
        "fs.inotify.max_user_instances = 512\n$ sudo find /proc/*/fd -lname anon_inode:inotify 2>/dev/null | wc -l\n509\n",
        Inotify,
        AtRisk,
        EXHAUSTED,
    ),
    (
        "uniq by UID",
        "fs.inotify.max_user_instances = 512\n$ find /proc/*/fd -lname anon_inode:inotify -printf '%U\\n' | sort | uniq -c\n    510 0\n      3 1000\n",
        Inotify,
        AtRisk,
        EXHAUSTED,
    ),
    (
        "uniq by user",
        "fs.inotify.max_user_instances = 512\n$ find /proc/*/fd -lname anon_inode:inotify -printf '%u\\n' | sort | uniq -c\n    510 root\n      3 grafana\n",
        Inotify,
        AtRisk,
        EXHAUSTED,
    ),
    (
        "COUNT PID USER COMMAND",
        "inotify instances per process\nfs.inotify.max_user_instances = 300\nCOUNT PID USER COMMAND\n   290 1204 root kubelet\n     8 1 root systemd\n",
        Inotify,
        AtRisk,
        EXHAUSTED,
    ),
    (
        "UID n: m instances",
        "inotify use\nfs.inotify.max_user_instances = 300\nUID 0: 299 instances\nUID 1000: 4 instances\n",
        Inotify,
        AtRisk,
        EXHAUSTED,
    ),
    (
        "a watch table with its total",
        "fs.inotify.max_user_watches = 65536\ntotal 65001 inotify watches\nEXE PID FD-INFO INOTIFY-WATCHES\n/usr/bin/kubelet 1173 /proc/1173/fdinfo/22 665\n",
        Inotify,
        AtRisk,
        WATCHES,
    ),
    ("lsof counts threads", "$ lsof | grep inotify | wc -l\n20511\n", Inotify, Undecided, &[]),
    (
        "noise inside counts",
        "fs.inotify.max_user_instances = 8192\n$ find /proc/*/fd -lname anon_inode:inotify | wc -l\nfind: '/proc/81/fd/4': No such file or directory\n300\n",
        Inotify,
        Ok,
        &[],
    ),
    (
        "permission denied",
        "sysctl: permission denied on key 'fs.protected_fifos'\nfs.inotify.max_user_instances = 8192\n",
        Inotify,
        Ok,
        &[],
    ),
    (
        "look-alike keys",
        "fs.epoll.max_user_watches = 212992\nfs.fanotify.max_user_groups = 128\nfs.file-max = 100\nkern.maxfiles: 12288\n",
        Inotify,
        NoEvidence,
        &[],
    ),
    (
        "nofile is another limit",
        "open files                          (-n) 1024\nDAEMON_MAXFILES=1048576\n",
        Inotify,
        NoEvidence,
        &[],
    ),
    ("FS watcher", "E0101 failed to create FS watcher: too many open files", Inotify, AtRisk, EXHAUSTED),
    (
        "errno=24",
        "[error] [plugins/in_tail/tail_fs_inotify.c:340 errno=24] Too many open files",
        Inotify,
        AtRisk,
        EXHAUSTED,
    ),
    ("os error 24", "Error: notify: inotify watcher: Too many open files (os error 24)", Inotify, AtRisk, EXHAUSTED),
    ("watcher create", "watcher create: too many open files", Inotify, AtRisk, EXHAUSTED),
    (
        "Couldn't initialize inotify",
        "tail: Couldn't initialize inotify: Too many open files",
        Inotify,
        AtRisk,
        EXHAUSTED,
    ),
    ("directory watch", "Failed to allocate directory watch: Too many open files", Inotify, AtRisk, EXHAUSTED),
    (
        "the limit in the message",
        "The configured user limit (512) on the number of inotify instances has been reached",
        Inotify,
        AtRisk,
        EXHAUSTED,
    ),
    ("resources exhausted", "tail: inotify resources exhausted", Inotify, AtRisk, WATCHES),
    ("inotify_add_watch", "inotify_add_watch /sys/fs/cgroup/cpu: no space left on device", Inotify, AtRisk, WATCHES),
    (
        "a JSON log",
        "{\"level\":\"error\",\"msg\":\"watch failed\",\"reason\":\"failed to create fsnotify watcher: too many open files\"}",
        Inotify,
        AtRisk,
        EXHAUSTED,
    ),
    (
        "a sentence that looks like YAML",
        "Error: failed to create containers: failed to create fsnotify watcher: too many open files",
        Inotify,
        AtRisk,
        EXHAUSTED,
    ),
    (
        "a setting that the kernel refused",
        "fs.inotify.max_user_instances = 128\n$ sysctl -w fs.inotify.max_user_instances=8192\nsysctl: permission denied on key\n",
        Inotify,
        AtRisk,
        LOW,
    ),
    (
        "a search for a message is not the message",
        "$ kubectl logs x | grep \"failed to create fsnotify watcher: too many open files\"",
        Inotify,
        NoEvidence,
        &[],
    ),
    ("ENFILE is another limit", "inotify helper: open /x: too many open files in system", Inotify, NoEvidence, &[]),
];

const CGROUP: &[Form] = &[
    (
        "all four parts",
        "cgroup on /sys/fs/cgroup/misc type cgroup (rw,nosuid,misc)\nrunc version 1.1.9\nKubernetes v1.25.9\n",
        CgroupCleanup,
        AtRisk,
        MISC,
    ),
    (
        "the fixed kubelet",
        "cgroup on /sys/fs/cgroup/misc type cgroup (rw,nosuid,misc)\nrunc version 1.1.9\nKubernetes v1.25.10\n",
        CgroupCleanup,
        Ok,
        &[],
    ),
    (
        "misc in /proc/cgroups",
        "cpu\t3\t90\t1\nmemory\t4\t90\t1\nmisc\t13\t90\t1\nrunc version 1.1.9\nkubelet v1.24.13\n",
        CgroupCleanup,
        AtRisk,
        MISC,
    ),
    (
        "a pod in misc proves the runtime",
        "11:misc:/kubepods.slice/kubepods-pod1.slice\n4:memory:/kubepods.slice\nkubelet v1.26.4\n",
        CgroupCleanup,
        AtRisk,
        MISC,
    ),
    (
        "mountinfo",
        "41 25 0:36 / /sys/fs/cgroup/misc rw,nosuid shared:18 - cgroup cgroup rw,misc\nrunc version 1.1.12\nkubeletVersion=\"v1.23.17\"\n",
        CgroupCleanup,
        AtRisk,
        MISC,
    ),
    (
        "docker info",
        " Cgroup Driver: systemd\n Cgroup Version: 2\n runc version: v1.1.12\nKubernetes v1.23.17\n",
        CgroupCleanup,
        Ok,
        &[],
    ),
    (
        "stat",
        "$ stat -fc %T /sys/fs/cgroup/\ntmpfs\n$ cat /proc/self/cgroup\n13:misc:/\n9:memory:/\n",
        CgroupCleanup,
        Undecided,
        &[],
    ),
    (
        "a single line is v2",
        "$ cat /proc/self/cgroup\n0::/user.slice\nrunc version 1.1.9\nkubelet v1.25.0\n",
        CgroupCleanup,
        Ok,
        &[],
    ),
    (
        "back to v1 by the kernel argument",
        "GRUB_CMDLINE_LINUX=\"systemd.unified_cgroup_hierarchy=0\"\nrunc version 1.1.9\n",
        CgroupCleanup,
        Undecided,
        &[],
    ),
    ("/proc/filesystems decides nothing", "nodev\tcgroup\nnodev\tcgroup2\n", CgroupCleanup, NoEvidence, &[]),
    (
        "the spec line is a decoy",
        "runc version 1.1.4\nspec: 1.2.0-dev\nKubernetes v1.25.0\n13:misc:/\n9:memory:/",
        CgroupCleanup,
        Ok,
        &[],
    ),
    (
        "the API server may be newer than kubelet",
        "Server Version: v1.29.3\nrunc version 1.1.9\n13:misc:/\n9:memory:/",
        CgroupCleanup,
        Undecided,
        &[],
    ),
    (
        "a plan is not a version",
        "Plan: upgrade to kubelet v1.29.3\nrunc version 1.1.9\n13:misc:/\n9:memory:/",
        CgroupCleanup,
        Undecided,
        &[],
    ),
    (
        "client and Kustomize are decoys",
        "Client Version: v1.25.0\nKustomize Version: v4.5.7\nKubelet Version: v1.29.3\nrunc version 1.1.9\n13:misc:/\n9:memory:/",
        CgroupCleanup,
        Ok,
        &[],
    ),
    (
        "what kubelet was built with is a decoy",
        "Kubernetes v1.27.1 (github.com/opencontainers/runc v1.1.4)\n13:misc:/\n9:memory:/",
        CgroupCleanup,
        Undecided,
        &[],
    ),
    (
        "a v2 path in the error",
        "\"Failed to delete cgroup paths\" cgroupName=[kubepods podde737447-0000] err=\"remove /sys/fs/cgroup/kubepods.slice/x.slice: device or resource busy\"",
        CgroupCleanup,
        Undecided,
        &[],
    ),
    (
        "the same pod again and again",
        "\"Failed to delete cgroup paths\" cgroupName=[\"kubepods\",\"podde737447-0000\"]\n\"Failed to delete cgroup paths\" cgroupName=[\"kubepods\",\"podde737447-0000\"]\n",
        CgroupCleanup,
        AtRisk,
        &["cgroup-delete-errors"],
    ),
    (
        "runc's own map",
        "level=warning msg=\"Failed to remove cgroup (will retry)\" error=\"Failed to remove paths: map[blkio:/sys/fs/cgroup/blkio/kubepods/podde737447-0000]\"",
        CgroupCleanup,
        Undecided,
        &[],
    ),
    (
        "a matrix of versions is no node",
        "| Linux 5.15, cgroup v1 | affected |\n| Linux 5.15, cgroup v2 | not affected |\n",
        CgroupCleanup,
        NoEvidence,
        &[],
    ),
];

const MEMCG: &[Form] = &[
    (
        "column -t",
        "#subsys_name  hierarchy  num_cgroups  enabled\ncpu           3          108          1\nmemory        4          64002        1\n",
        Memcg,
        AtRisk,
        IDS,
    ),
    (
        "hierarchy 0",
        "#subsys_name\thierarchy\tnum_cgroups\tenabled\ncpu\t0\t180\t1\nmemory\t0\t180\t1\n",
        Memcg,
        Ok,
        &[],
    ),
    (
        "several tables, the last counts",
        "memory\t4\t65001\t1\n$ echo 3 > /proc/sys/vm/drop_caches\n$ grep memory /proc/cgroups\nmemory\t4\t201\t1\n",
        Memcg,
        Ok,
        &[],
    ),
    (
        "an event with a counter",
        "  Warning  FailedCreatePodContainer  25s (x70 over 15m)  kubelet, n1  failed to create container for [kubepods besteffort pod1]: mkdir /sys/fs/cgroup/memory/kubepods/besteffort/pod1: no space left on device",
        Memcg,
        AtRisk,
        IDS,
    ),
    (
        "escaped twice",
        "time=\"x\" level=error msg=\"OCI runtime create failed: applying cgroup configuration caused \\\\\\\"mkdir /sys/fs/cgroup/memory/docker/0f: cannot allocate memory\\\\\\\"\"",
        Memcg,
        AtRisk,
        IDS,
    ),
    (
        "lxc",
        "lxc-start: cgfsng.c: mkdir_eexist_on_last: 1143 No space left on device - Failed to create directory \"/sys/fs/cgroup/memory//lxc/a\"",
        Memcg,
        AtRisk,
        IDS,
    ),
    ("directories counted", "# find /sys/fs/cgroup/memory -type d | wc -l\n61022\n", Memcg, AtRisk, IDS),
    (
        "cgroup.stat on v2",
        "# cat /sys/fs/cgroup/cgroup.stat\nnr_descendants 190\nnr_dying_descendants 63000\n",
        Memcg,
        AtRisk,
        IDS,
    ),
    ("nokmem only in grub", "GRUB_CMDLINE_LINUX=\"cgroup.memory=nokmem\"\n", Memcg, Undecided, &[]),
    (
        "an installed kernel is not a booted one",
        "# rpm -qa | grep kernel\nkernel-3.10.0-514.el7.x86_64\n",
        Memcg,
        NoEvidence,
        &[],
    ),
    ("a broken version table", "| kernel | 3.10.0-514.el7.x86_64 |\n", Memcg, AtRisk, &["memcg-leaking-kernel"]),
    (
        "SLUB with its cache",
        "SLUB: Unable to allocate memory on node -1 (gfp=0x8020)\n  cache: dentry(0:ab), object size: 192\n",
        Memcg,
        AtRisk,
        &["kmem-accounting-errors"],
    ),
    ("a full disk", "df: /var/lib: no space left on device\n/dev/vda1 100G 100G 0 100% /\n", Memcg, NoEvidence, &[]),
];

const MANIFEST: &[Form] = &[
    (
        "a List with its kind last",
        "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n  spec:\n    containers: [{name: c, volumeMounts: [{name: v, mountPath: /v}]}]\n    volumes: [{name: v, emptyDir: {medium: Memory}}]\nkind: List\n",
        MemoryVolume,
        AtRisk,
        WRITER,
    ),
    (
        "JSON on one line, items without kind",
        "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[{\"metadata\":{\"name\":\"a\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"volumeMounts\":[{\"name\":\"v\"}]}],\"volumes\":[{\"name\":\"v\",\"emptyDir\":{\"medium\":\"Memory\"}}]}}]}",
        MemoryVolume,
        AtRisk,
        WRITER,
    ),
    (
        "a custom kind",
        "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: r}\nspec:\n  template:\n    spec:\n      containers: [{name: c, volumeMounts: [{name: v, mountPath: /v}]}]\n      volumes: [{name: v, emptyDir: {medium: \"Memory\"}}]\n",
        MemoryVolume,
        AtRisk,
        WRITER,
    ),
    (
        "a here-document",
        "$ cat <<EOF | kubectl apply -f -\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers: [{name: c, volumeMounts: [{name: v, mountPath: /v}]}]\n  volumes: [{name: v, emptyDir: {medium: Memory}}]\nEOF\npod/a created\n",
        MemoryVolume,
        AtRisk,
        WRITER,
    ),
    (
        "volumes without containers",
        "      volumes:\n      - name: shm\n        emptyDir:\n          medium: Memory\n          sizeLimit: 64Gi\n        volumeMounts:\n        - name: shm\n          mountPath: /dev/shm\n",
        MemoryVolume,
        Undecided,
        &[],
    ),
    (
        "a list item first",
        "      - name: tmp\n        emptyDir:\n            medium: Memory\n",
        MemoryVolume,
        Undecided,
        &[],
    ),
    (
        "indentation lost",
        "apiVersion: v1\nkind: Pod\nspec:\ncontainers:\n- name: a\nimage: b\nvolumes:\n- name: v\nemptyDir:\nmedium: Memory\n",
        MemoryVolume,
        Undecided,
        &[],
    ),
    (
        "a Helm template",
        "kind: Deployment\nspec:\n  template:\n    spec:\n      volumes:\n      {{- if .Values.ram }}\n      - name: t\n        emptyDir:\n          medium: Memory\n      {{- end }}\n",
        MemoryVolume,
        Undecided,
        &[],
    ),
    (
        "a Jinja template",
        "spec:\n  volumes:\n{% if ram %}\n  - emptyDir: {medium: Memory}\n{% endif %}\n",
        MemoryVolume,
        Undecided,
        &[],
    ),
    (
        "a diff",
        "diff --git a/x.yaml b/x.yaml\n@@ -1,3 +1,4 @@\n       - name: t\n         emptyDir:\n           medium: Memory\n+          sizeLimit: 1Gi\n",
        MemoryVolume,
        Undecided,
        &[],
    ),
    (
        "a JSON patch",
        "- op: add\n  path: /spec/template/spec/volumes/-\n  value:\n    name: shm\n    emptyDir: {medium: Memory}\n",
        MemoryVolume,
        Undecided,
        &[],
    ),
    (
        "YAML inside YAML",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n  pod.yaml: |\n    emptyDir:\n      medium: Memory\n",
        MemoryVolume,
        Undecided,
        &[],
    ),
    (
        "chart values",
        "persistence:\n  volumes:\n    scratch:\n      emptyDir:\n        medium: Memory\n",
        MemoryVolume,
        Undecided,
        &[],
    ),
    (
        "Spark's memory scratch space",
        "apiVersion: sparkoperator.k8s.io/v1beta2\nkind: SparkApplication\nmetadata: {name: s}\nspec:\n  sparkConf:\n    spark.kubernetes.local.dirs.tmpfs: \"true\"\n",
        MemoryVolume,
        Undecided,
        &[],
    ),
    (
        "describe pod",
        "Volumes:\n  shm:\n    Type:       EmptyDir (a temporary directory that shares a pod's lifetime)\n    Medium:     Memory\n    SizeLimit:  <unset>\n",
        MemoryVolume,
        Undecided,
        &[],
    ),
    (
        "a volume only named tmpfs",
        "kind: Pod\napiVersion: v1\nspec:\n  containers: [{name: c, volumeMounts: [{name: tmpfs, mountPath: /t}]}]\n  volumes: [{name: tmpfs, emptyDir: {}}]\n",
        MemoryVolume,
        Ok,
        &[],
    ),
    (
        "limits without memory",
        "kind: Pod\napiVersion: v1\nspec:\n  containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}, volumeMounts: [{name: v, mountPath: /v}]}]\n  volumes: [{name: v, emptyDir: {medium: Memory}}]\n",
        MemoryVolume,
        AtRisk,
        WRITER,
    ),
    (
        "medium beside emptyDir",
        "kind: Pod\napiVersion: v1\nspec:\n  containers: [{name: c, volumeMounts: [{name: v, mountPath: /v}]}]\n  volumes: [{name: v, emptyDir: null, medium: Memory}]\n",
        MemoryVolume,
        AtRisk,
        &["memory-volume-misplaced-medium"],
    ),
    (
        "an injected sidecar",
        "kind: Deployment\napiVersion: apps/v1\nmetadata: {name: d}\nspec:\n  template:\n    metadata: {annotations: {sidecar.istio.io/inject: \"true\"}}\n    spec:\n      containers: [{name: c, resources: {limits: {memory: 1Gi}}}]\n      volumes: [{name: certs, emptyDir: {medium: Memory}}]\n",
        MemoryVolume,
        Undecided,
        &[],
    ),
    (
        "an unmounted volume",
        "kind: Pod\napiVersion: v1\nspec:\n  containers: [{name: c}]\n  volumes: [{name: v, emptyDir: {medium: Memory}}]\n",
        MemoryVolume,
        Ok,
        &[],
    ),
    (
        "an eviction",
        "  Warning  Evicted  9m  kubelet  Usage of EmptyDir volume \"shm\" exceeds the limit \"1Gi\".",
        MemoryVolume,
        NoEvidence,
        &[],
    ),
];

const HOSTS: &[Form] = &[
    (
        "a loop with headings",
        "== n1 ==\nfs.inotify.max_user_instances = 128\n== n2 ==\nfs.inotify.max_user_instances = 8192\n",
        Inotify,
        AtRisk,
        LOW,
    ),
    (
        "the host in front of each line",
        "node1: fs.inotify.max_user_instances = 128\nnode2: fs.inotify.max_user_instances = 8192\n",
        Inotify,
        AtRisk,
        LOW,
    ),
    (
        "the host in front of each row",
        "node1 memory\t5\t312\t1\nnode2 memory\t5\t64410\t1\nnode3 memory\t5\t290\t1\n",
        Memcg,
        AtRisk,
        IDS,
    ),
    (
        "ssh to one host after the other",
        "$ ssh node-a sysctl fs.inotify.max_user_instances\nfs.inotify.max_user_instances = 128\n\
         $ ssh node-b sysctl fs.inotify.max_user_instances\nfs.inotify.max_user_instances = 8192\n",
        Inotify,
        AtRisk,
        LOW,
    ),
    (
        "an old kubelet on one node, the misc tree and runc on another",
        "$ kubectl get nodes\nNAME   STATUS   ROLES    AGE   VERSION\nn1     Ready    <none>   10d   v1.26.3\n\
         n2     Ready    <none>   10d   v1.28.3\nroot@n2:~# grep misc /proc/cgroups\nmisc 13 88 1\n\
         root@n2:~# runc --version\nrunc version 1.1.12\n",
        CgroupCleanup,
        Undecided,
        &[],
    ),
    (
        "an old kubelet, the misc tree and runc on the same node",
        "$ kubectl get nodes\nNAME   STATUS   ROLES    AGE   VERSION\nn1     Ready    <none>   10d   v1.28.3\n\
         n2     Ready    <none>   10d   v1.26.3\nroot@n2:~# grep misc /proc/cgroups\nmisc 13 88 1\n\
         root@n2:~# runc --version\nrunc version 1.1.12\n",
        CgroupCleanup,
        AtRisk,
        MISC,
    ),
    (
        "an update of kubelet in between",
        "root@n1:~# kubelet --version\nKubernetes v1.26.3\nroot@n1:~# runc --version\nrunc version 1.1.7\n\
         root@n1:~# grep misc /proc/cgroups\nmisc 13 88 1\nroot@n1:~# kubelet --version\nKubernetes v1.26.15\n",
        CgroupCleanup,
        Ok,
        &[],
    ),
];

const ASIDE: &[Form] = &[
    (
        "a sentence about the default",
        "The kernel default of fs.inotify.max_user_instances is 128, which is too low; we already set it to 8192.",
        Inotify,
        NoEvidence,
        &[],
    ),
    ("a plan", "Next week we bump fs.inotify.max_user_instances = 128 -> 8192", Inotify, Undecided, &[]),
    (
        "a diff of a file for later",
        "--- a/etc/sysctl.d/99-k8s.conf\n+++ b/etc/sysctl.d/99-k8s.conf\n-fs.inotify.max_user_instances = 128\n\
         +fs.inotify.max_user_instances = 8192\n",
        Inotify,
        Undecided,
        &[],
    ),
    ("num_cgroups alone", "$ grep memory /proc/cgroups | awk '{print $3}'\n65412\n", Memcg, AtRisk, IDS),
    ("num_cgroups by awk alone", "$ awk '/memory/ {print $3}' /proc/cgroups\n65412\n", Memcg, AtRisk, IDS),
    ("a number of something else", "$ grep pids /proc/cgroups | awk '{print $3}'\n65412\n", Memcg, NoEvidence, &[]),
    ("the prompt of fish", "ops@node1 ~> cat /proc/sys/fs/inotify/max_user_instances\n128\n", Inotify, AtRisk, LOW),
    (
        "a memory volume as the host mounts it",
        "tmpfs on /var/lib/kubelet/pods/0b1c2d3e-1111-2222-3333-444455556666/volumes/kubernetes.io~empty-dir/dshm type tmpfs (rw,relatime,size=131072000k)",
        MemoryVolume,
        Undecided,
        &[],
    ),
    (
        "ctr version on cgroup v2",
        "$ ctr version\nClient:\n  Version:  v1.5.11\nServer:\n  Version:  v1.5.11\n$ stat -fc %T /sys/fs/cgroup\ncgroup2fs\n",
        Inotify,
        AtRisk,
        &["inotify-shim-leak"],
    ),
];

#[test]
fn every_form_is_understood() {
    let mut wrong = String::new();
    for &(name, text, risk, status, rules) in [TEXT, INOTIFY, CGROUP, MEMCG, MANIFEST, HOSTS, ASIDE].concat().iter() {
        let report = check(&[Input::new("paste", text)], &Settings::default());
        let got = report.risk(risk).status;
        if got != status {
            let _ = writeln!(wrong, "{name}: {} is {got:?}, want {status:?}", risk.id());
        }
        for rule in rules {
            if !report.findings.iter().any(|finding| finding.rule == *rule) {
                let _ = writeln!(wrong, "{name}: {rule} did not fire");
            }
        }
        for other in Risk::ALL.into_iter().filter(|other| *other != risk) {
            if report.risk(other).status == AtRisk {
                let _ = writeln!(wrong, "{name}: {} is at risk as well", other.id());
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// The report about several inputs, as files are checked together.
fn together(texts: &[&str]) -> rules::report::Report {
    let inputs: Vec<Input> = texts.iter().map(|text| Input::new("node", *text)).collect();
    check(&inputs, &Settings::default())
}

#[test]
fn of_several_nodes_the_worst_decides_in_any_order() {
    for (bad, good, risk) in [
        ("fs.inotify.max_user_instances = 128", "fs.inotify.max_user_instances = 8192", Inotify),
        ("memory\t3\t65500\t1", "memory\t3\t120\t1", Memcg),
    ] {
        assert_eq!(together(&[bad, good]).risk(risk).status, AtRisk, "{bad}");
        assert_eq!(together(&[good, bad]).risk(risk).status, AtRisk, "{bad}");
    }
}

#[test]
fn of_several_hosts_in_one_paste_the_worst_decides_and_of_one_host_the_last() {
    let sysctl = "fs.inotify.max_user_instances =";
    for (text, status) in [
        (format!("root@n1:~# sysctl -a\n{sysctl} 128\nroot@n2:~# sysctl -a\n{sysctl} 8192\n"), AtRisk),
        (format!("[root@n1 ~]# sysctl -a\n{sysctl} 128\n[root@n2 ~]# sysctl -a\n{sysctl} 8192\n"), AtRisk),
        (format!("n1 | CHANGED | rc=0 >>\n{sysctl} 128\nn2 | CHANGED | rc=0 >>\n{sysctl} 8192\n"), AtRisk),
        (format!("root@n1:~# sysctl -a\n{sysctl} 128\nroot@n1:/# sysctl -a\n{sysctl} 8192\n"), Ok),
        (format!("root@n1:~# sysctl -a\n{sysctl} 128\n$ sysctl -a\n{sysctl} 8192\n"), Ok),
        (
            format!("root@4f1c2ab90d3e:/# sysctl -a\n{sysctl} 128\nroot@n1:/# sysctl -w {sysctl}8192\n{sysctl} 8192\n"),
            Ok,
        ),
        (format!("root@n1:/# sysctl -a\n{sysctl} 128\nroot@4f1c2ab90d3e:/# sysctl -a\n{sysctl} 8192\n"), Ok),
    ] {
        assert_eq!(together(&[&text]).risk(Inotify).status, status, "{text}");
    }
    let text = "root@n1:~# cat /proc/cgroups\nmemory\t3\t65500\t1\nroot@n2:~# cat /proc/cgroups\nmemory\t3\t120\t1\n";
    assert_eq!(together(&[text]).risk(Memcg).status, AtRisk);
}

#[test]
fn a_byte_order_mark_is_no_column() {
    let report = together(&["\u{feff}fs.inotify.max_user_instances = 128"]);
    let span = report.findings.first().and_then(|finding| finding.evidence.first()?.place.span);
    assert_eq!(span.map(|span| (span.line, span.column, span.end_column)), Some((1, 1, 36)));
}

#[test]
fn a_remedy_never_lowers_what_was_not_enough() {
    for (text, target) in [
        ("tail: inotify resources exhausted\nfs.inotify.max_user_watches = 1048576", "2097152"),
        ("fs.inotify.max_user_instances = 8192\nfailed to create fsnotify watcher: too many open files", "16384"),
        ("fs.inotify.max_user_instances = 128", "8192"),
    ] {
        let report = together(&[text]);
        let said = report.findings.first().and_then(|finding| finding.values.get("target").cloned());
        assert_eq!(said.as_deref(), Some(target), "{text}");
    }
}
