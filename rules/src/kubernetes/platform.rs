//! Platforms that nodes run on, and where each of them keeps a setting of the node so that it lasts.

use crate::kubernetes::version::Version;

/// What a node is installed from, as far as that decides where its settings are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// A Linux whose files can be edited: Debian, Ubuntu, RHEL, Amazon Linux, and k3s or RKE2 on any of them.
    Linux,
    /// Talos: no shell, one machine configuration.
    Talos,
    /// Bottlerocket: no shell, settings in TOML.
    Bottlerocket,
    /// OpenShift and OKD: operators own the node.
    OpenShift,
    /// GKE: the node pool's system configuration.
    Gke,
    /// AKS: the node pool's custom configuration, and a DaemonSet for what that does not offer.
    Aks,
    /// kind: nodes are containers, so that the limits are those of the machine around them.
    Kind,
}

/// Distributions that keep arguments of the kernel alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// RHEL and its kin, Amazon Linux among them.
    RedHat,
    /// Debian and Ubuntu.
    Debian,
}

impl Family {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::RedHat => "RHEL",
            Self::Debian => "Debian",
        }
    }

    /// The family of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::RedHat, Self::Debian].into_iter().find(|family| family.name() == name)
    }

    /// The family that builds a kernel: `3.10.0-693.el7.x86_64`, `5.15.0-71-generic`.
    #[must_use]
    pub fn of_kernel(kernel: &Version) -> Option<Self> {
        let has = |marks: &[&str]| marks.iter().any(|mark| kernel.text.contains(mark));
        if has(&[".el7", ".el8", ".el9", ".el10", ".amzn"]) {
            Some(Self::RedHat)
        } else {
            has(&["-generic", "-amd64", "-arm64", "-aws", "-azure", "-gcp"]).then_some(Self::Debian)
        }
    }
}

/// Words that only nodes of one platform show: in the OS image, in their own name, or in the name of their image.
pub(crate) const MARKS: &[&str] = &[
    "Talos (v",
    "Bottlerocket OS",
    "Red Hat Enterprise Linux CoreOS",
    "Fedora CoreOS",
    "Container-Optimized OS",
    "-vmss0",
    "kindest/node",
    "kind-control-plane",
    "kind-worker",
];

/// A setting of the node. Name and value may hold `{placeholders}` of the rule that asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// What kind of setting it is.
    pub kind: SettingKind,
    /// Its name, such as `fs.inotify.max_user_instances`.
    pub name: &'static str,
    /// Its value.
    pub value: &'static str,
}

impl Setting {
    /// A kernel parameter.
    pub(crate) const fn sysctl(name: &'static str, value: &'static str) -> Self {
        Self { kind: SettingKind::Sysctl, name, value }
    }

    /// A kernel parameter that holds already and is to last.
    pub(crate) const fn kept_sysctl(name: &'static str, value: &'static str) -> Self {
        Self { kind: SettingKind::KeptSysctl, name, value }
    }

    /// An argument of the kernel's command line.
    pub(crate) const fn kernel_argument(name: &'static str, value: &'static str) -> Self {
        Self { kind: SettingKind::KernelArgument, name, value }
    }
}

/// When a setting of the node takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingKind {
    /// A kernel parameter, which can be changed at any time (`/proc/sys`).
    Sysctl,
    /// A kernel parameter that is only to be kept for the next boot.
    KeptSysctl,
    /// An argument of the kernel's command line, which is read at boot.
    KernelArgument,
}

impl Platform {
    /// All platforms, the general one first.
    pub const ALL: [Self; 7] =
        [Self::Linux, Self::Talos, Self::Bottlerocket, Self::OpenShift, Self::Gke, Self::Aks, Self::Kind];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linux => "Linux",
            Self::Talos => "Talos",
            Self::Bottlerocket => "Bottlerocket",
            Self::OpenShift => "OpenShift",
            Self::Gke => "GKE",
            Self::Aks => "AKS",
            Self::Kind => "kind",
        }
    }

    /// The platform of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|platform| platform.name() == name)
    }

    /// The platform whose `MARKS` are in `text`.
    #[must_use]
    pub fn of_text(text: &str) -> Option<Self> {
        Some(match MARKS.iter().position(|mark| text.contains(mark))? {
            0 => Self::Talos,
            1 => Self::Bottlerocket,
            2 | 3 => Self::OpenShift,
            4 => Self::Gke,
            5 => Self::Aks,
            _ => Self::Kind,
        })
    }

    /// The platform that a kubelet is built for: `1.27.1-gke.400`, or OpenShift's `1.25.4+a34b9e9` with a commit behind
    /// the plus.
    #[must_use]
    pub fn of_kubelet(kubelet: &Version) -> Option<Self> {
        let suffix = kubelet.suffix();
        let commit = suffix.strip_prefix('+').filter(|commit| commit.len() >= 7);
        if suffix.starts_with("-gke.") {
            Some(Self::Gke)
        } else {
            commit.filter(|commit| commit.bytes().all(|byte| byte.is_ascii_hexdigit())).map(|_| Self::OpenShift)
        }
    }

    /// The platform of a kernel: `6.6.33-talos`.
    #[must_use]
    pub fn of_kernel(kernel: &Version) -> Option<Self> {
        kernel.suffix().ends_with("-talos").then_some(Self::Talos)
    }

    /// How to make `setting` last on nodes of this platform, as commands or as a file; `None` where the platform does
    /// not offer it. Placeholders are those of the setting. Where the family is not known, it is told for each.
    #[must_use]
    pub fn sets(self, setting: &Setting, family: Option<Family>) -> Option<String> {
        let form = match setting.kind {
            SettingKind::Sysctl => self.sysctl(setting.name),
            SettingKind::KeptSysctl => {
                let form = self.sysctl(setting.name);
                form.strip_prefix(LINUX_SYSCTL_NOW).unwrap_or(form)
            }
            SettingKind::KernelArgument => self.kernel_argument(family)?,
        };
        Some(form.replace("{name}", setting.name).replace("{value}", setting.value))
    }

    /// Sources: `sysctl.d(5)`; Talos `machine.sysctls`; Bottlerocket `settings.kernel.sysctl`; OpenShift's Node Tuning
    /// Operator; GKE `linuxConfig.sysctl` and AKS `sysctls`, whose lists of parameters are closed: both have
    /// `max_user_watches`, GKE alone has `max_user_instances`.
    fn sysctl(self, name: &str) -> &'static str {
        match self {
            Self::Linux => LINUX_SYSCTL,
            Self::Talos => TALOS_SYSCTL,
            Self::Bottlerocket => BOTTLEROCKET_SYSCTL,
            Self::OpenShift => OPENSHIFT_SYSCTL,
            Self::Gke => GKE_SYSCTL,
            Self::Aks if name == "fs.inotify.max_user_watches" => AKS_WATCHES,
            Self::Aks => DAEMON_SET_SYSCTL,
            Self::Kind => KIND_SYSCTL,
        }
    }

    /// Sources: `grubby(8)`, `update-grub(8)`; Talos Image Factory; Bottlerocket `settings.boot`; OpenShift
    /// `MachineConfig`. GKE and AKS do not offer it, and kind has no kernel of its own.
    const fn kernel_argument(self, family: Option<Family>) -> Option<&'static str> {
        match self {
            Self::Linux => Some(match family {
                None => LINUX_KERNEL_ARGUMENT,
                Some(Family::RedHat) => RED_HAT_KERNEL_ARGUMENT,
                Some(Family::Debian) => DEBIAN_KERNEL_ARGUMENT,
            }),
            Self::Talos => Some(TALOS_KERNEL_ARGUMENT),
            Self::Bottlerocket => Some(BOTTLEROCKET_KERNEL_ARGUMENT),
            Self::OpenShift => Some(OPENSHIFT_KERNEL_ARGUMENT),
            Self::Gke | Self::Aks | Self::Kind => None,
        }
    }
}

const LINUX_SYSCTL_NOW: &str = "sudo sysctl -w {name}={value}\n";

const LINUX_SYSCTL: &str = "\
sudo sysctl -w {name}={value}
echo '{name} = {value}' | sudo tee /etc/sysctl.d/99-{name}.conf
";

const TALOS_SYSCTL: &str = r#"talosctl -n NODE patch machineconfig --patch '{"machine": {"sysctls": {"{name}": "{value}"}}}'
"#;

const BOTTLEROCKET_SYSCTL: &str = r#"apiclient apply <<'EOF'
[settings.kernel.sysctl]
"{name}" = "{value}"
EOF
"#;

/// A node has one profile, so that all its limits belong into the same one.
const OPENSHIFT_SYSCTL: &str = "\
apiVersion: tuned.openshift.io/v1
kind: Tuned
metadata:
  name: node-limits
  namespace: openshift-cluster-node-tuning-operator
spec:
  profile:
    - name: node-limits
      data: |
        [main]
        include=openshift-node
        [sysctl]
        {name}={value}
  recommend:
    - profile: node-limits
      priority: 20
      match:
        - label: node-role.kubernetes.io/worker
";

const GKE_SYSCTL: &str = "\
# gcloud container node-pools update POOL --cluster CLUSTER --system-config-from-file FILE
linuxConfig:
  sysctl:
    {name}: '{value}'
";

const AKS_WATCHES: &str = r#"# az aks nodepool add --linux-os-config FILE
{"sysctls": {"fsInotifyMaxUserWatches": {value}}}
"#;

/// Works on every cluster, for as long as its pods are started after the limit was set elsewhere.
const DAEMON_SET_SYSCTL: &str = "\
# where node pools have no such setting; works on every cluster
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: node-limits
  namespace: kube-system
spec:
  selector:
    matchLabels: {app: node-limits}
  template:
    metadata:
      labels: {app: node-limits}
    spec:
      initContainers:
        - name: sysctl
          image: busybox:1.37
          command: [sysctl, -w, {name}={value}]
          securityContext: {privileged: true}
          resources: {limits: {memory: 16Mi}}
      containers:
        - name: pause
          image: registry.k8s.io/pause:3.10
          resources: {limits: {memory: 16Mi}}
";

const KIND_SYSCTL: &str = "\
# on the machine that runs kind
sudo sysctl -w {name}={value}
echo '{name} = {value}' | sudo tee /etc/sysctl.d/99-{name}.conf
";

const LINUX_KERNEL_ARGUMENT: &str = "\
sudo grubby --update-kernel=ALL --args={name}={value} # RHEL, CentOS
# Debian, Ubuntu: add it to GRUB_CMDLINE_LINUX in /etc/default/grub, then: sudo update-grub
cat /proc/cmdline # after the reboot
";

const RED_HAT_KERNEL_ARGUMENT: &str = "\
sudo grubby --update-kernel=ALL --args={name}={value}
cat /proc/cmdline # after the reboot
";

const DEBIAN_KERNEL_ARGUMENT: &str = "\
# add {name}={value} to GRUB_CMDLINE_LINUX in /etc/default/grub, then:
sudo update-grub
cat /proc/cmdline # after the reboot
";

const TALOS_KERNEL_ARGUMENT: &str = "\
# schematic for the Image Factory; then talosctl upgrade --image with what it gives
customization:
  extraKernelArgs:
    - {name}={value}
";

const BOTTLEROCKET_KERNEL_ARGUMENT: &str = r#"apiclient apply <<'EOF'
[settings.boot]
reboot-to-reconcile = true
[settings.boot.kernel-parameters]
"{name}" = ["{value}"]
EOF
apiclient reboot
"#;

const OPENSHIFT_KERNEL_ARGUMENT: &str = "\
apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata:
  name: 99-worker-kernel-arguments
  labels:
    machineconfiguration.openshift.io/role: worker
spec:
  kernelArguments:
    - {name}={value}
";

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Family, Platform, Setting};
    use crate::kubernetes::version::Version;

    const INSTANCES: Setting = Setting::sysctl("fs.inotify.max_user_instances", "8192");
    const WATCHES: Setting = Setting::sysctl("fs.inotify.max_user_watches", "524288");
    const NOKMEM: Setting = Setting::kernel_argument("cgroup.memory", "nokmem");

    fn yaml(platform: Platform, setting: &Setting) -> Value {
        serde_yaml::from_str(&platform.sets(setting, None).unwrap()).unwrap()
    }

    /// OS images as `kubectl get nodes -o wide` shows them, and names that node pools of AKS and clusters of kind give.
    #[test]
    fn nodes_are_known_by_their_os_image_or_name() {
        for (text, platform) in [
            ("Talos (v1.7.4)", Some(Platform::Talos)),
            ("Bottlerocket OS 1.20.3 (aws-k8s-1.29)", Some(Platform::Bottlerocket)),
            ("Red Hat Enterprise Linux CoreOS 415.92.202405130844-0 (Plow)", Some(Platform::OpenShift)),
            ("Fedora CoreOS 39.20240210.3.0", Some(Platform::OpenShift)),
            ("Container-Optimized OS from Google", Some(Platform::Gke)),
            ("aks-nodepool1-12345678-vmss000000", Some(Platform::Aks)),
            ("kind-control-plane", Some(Platform::Kind)),
            ("Ubuntu 22.04.4 LTS", None),
            ("Amazon Linux 2023.4.20240513", None),
            ("Red Hat Enterprise Linux 9.4 (Plow)", None),
        ] {
            assert_eq!(Platform::of_text(text), platform, "{text}");
        }
    }

    #[test]
    fn kubelets_and_kernels_name_their_builder() {
        let kubelet = |text: &str| Platform::of_kubelet(&Version::parse(text).unwrap());
        assert_eq!(kubelet("v1.27.1-gke.400"), Some(Platform::Gke));
        assert_eq!(kubelet("v1.25.4+a34b9e9"), Some(Platform::OpenShift));
        for text in ["v1.29.1+k3s2", "v1.26.4+rke2r1", "v1.25.8-eks-c05fe32", "v1.29.1", "v1.28.9+vmware.1"] {
            assert_eq!(kubelet(text), None, "{text}");
        }
        let kernel = |text: &str| Platform::of_kernel(&Version::parse(text).unwrap());
        assert_eq!(kernel("6.6.33-talos"), Some(Platform::Talos));
        assert_eq!(kernel("5.15.0-1064-azure"), None, "self-managed nodes run on Azure as well");
    }

    #[test]
    fn arguments_of_the_kernel_are_kept_as_its_distribution_does() {
        let tools = |kernel: &str| {
            let sets = Platform::Linux.sets(&NOKMEM, Family::of_kernel(&Version::parse(kernel).unwrap())).unwrap();
            ["grubby", "update-grub"].map(|tool| sets.contains(tool))
        };
        for kernel in ["3.10.0-1160.88.1.el7.x86_64", "4.18.0-477.el8.x86_64", "4.14.355-276.639.amzn2.x86_64"] {
            assert_eq!(tools(kernel), [true, false], "{kernel}");
        }
        for kernel in ["5.15.0-71-generic", "6.1.0-18-amd64", "5.15.0-1064-aws"] {
            assert_eq!(tools(kernel), [false, true], "{kernel}");
        }
        assert_eq!(tools("4.19.90-23.8.oe1.x86_64"), [true, true], "openEuler has either");
    }

    /// A value that one remedy writes must survive the next one: every parameter has a file of its own.
    #[test]
    fn parameters_do_not_overwrite_each_others_file() {
        let [instances, watches] = [INSTANCES, WATCHES].map(|setting| Platform::Linux.sets(&setting, None).unwrap());
        assert!(instances.contains("tee /etc/sysctl.d/99-fs.inotify.max_user_instances.conf\n"), "{instances}");
        assert!(watches.contains("tee /etc/sysctl.d/99-fs.inotify.max_user_watches.conf\n"), "{watches}");
        let kept = Setting::kept_sysctl(WATCHES.name, WATCHES.value);
        let kept = Platform::Linux.sets(&kept, None).unwrap();
        assert_eq!(format!("sudo sysctl -w fs.inotify.max_user_watches=524288\n{kept}"), watches);
    }

    #[test]
    fn files_are_what_each_platform_reads() {
        let talos = Platform::Talos.sets(&INSTANCES, None).unwrap();
        let patch: Value = serde_json::from_str(talos.split('\'').nth(1).unwrap()).unwrap();
        assert_eq!(patch, json!({"machine": {"sysctls": {"fs.inotify.max_user_instances": "8192"}}}));

        let gke = yaml(Platform::Gke, &INSTANCES);
        assert_eq!(gke["linuxConfig"]["sysctl"]["fs.inotify.max_user_instances"], "8192");

        // AKS takes numbers, and knows watches alone.
        assert_eq!(yaml(Platform::Aks, &WATCHES), json!({"sysctls": {"fsInotifyMaxUserWatches": 524_288}}));
        let command = json!(["sysctl", "-w", "fs.inotify.max_user_instances=8192"]);
        let daemon_set = yaml(Platform::Aks, &INSTANCES);
        assert_eq!(daemon_set.pointer("/spec/template/spec/initContainers/0/command"), Some(&command));

        let tuned = yaml(Platform::OpenShift, &INSTANCES);
        let profile = tuned.pointer("/spec/profile/0/data").and_then(Value::as_str).unwrap();
        assert_eq!(profile, "[main]\ninclude=openshift-node\n[sysctl]\nfs.inotify.max_user_instances=8192\n");

        let arguments = json!(["cgroup.memory=nokmem"]);
        assert_eq!(yaml(Platform::OpenShift, &NOKMEM)["spec"]["kernelArguments"], arguments);
        assert_eq!(yaml(Platform::Talos, &NOKMEM)["customization"]["extraKernelArgs"], arguments);
        assert!(Platform::Bottlerocket.sets(&NOKMEM, None).unwrap().contains("\n\"cgroup.memory\" = [\"nokmem\"]\n"));
    }

    #[test]
    fn what_a_platform_does_not_offer_is_not_advised() {
        for platform in Platform::ALL {
            assert!(platform.sets(&WATCHES, None).is_some(), "{platform:?}");
            assert_eq!(Platform::named(platform.name()), Some(platform));
        }
        let managed = [Platform::Gke, Platform::Aks, Platform::Kind];
        assert_eq!(managed.map(|platform| platform.sets(&NOKMEM, None)), [None, None, None]);
    }
}
