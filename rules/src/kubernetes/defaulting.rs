//! What a cluster makes of pod templates: the defaults and refusals that other objects of the same paste bring about.

use std::collections::HashMap;

use crate::facts::{Cluster, Facts, Found};
use crate::kubernetes::limit_range::LimitRange;
use crate::kubernetes::pod::{Amount, Container, PodTemplate, Role};
use crate::kubernetes::version::Version;

/// Complete the pods once everything is read, so that the order in a paste does not matter.
pub(crate) fn complete(facts: &mut Facts) {
    let ranges = limit_ranges(&facts.cluster);
    let old = is_without_pod_limits(&facts.versions.kubelet);
    for pod in &mut facts.pods {
        if old {
            pod.pod_limit = Amount::Unset;
            pod.pod_request = Amount::Unset;
        }
        // What runs has passed admission: its limits are what they are.
        if pod.node.is_some() {
            continue;
        }
        if let Some(range) = ranges.get(&pod.namespace.as_deref()) {
            pod.containers.iter_mut().for_each(|container| give(range, container));
        }
        pod.refused_by = refused_by(pod, &facts.cluster);
    }
}

/// The LimitRange that counts in each namespace. When there are several, which one comes first is not defined, so the
/// one with the largest limit counts.
fn limit_ranges(cluster: &Cluster) -> HashMap<Option<&str>, &Found<LimitRange>> {
    let mut ranges = HashMap::new();
    for range in &cluster.limit_ranges {
        let largest = ranges.entry(range.value.namespace.as_deref()).or_insert(range);
        if range.value.limit >= largest.value.limit {
            *largest = range;
        }
    }
    ranges
}

/// What LimitRanger does with a container: it fills in what is missing. A container with a limit of its own and no
/// request has got the limit as its request before that (`SetDefaults_Pod`). A zero is not missing.
fn give(range: &Found<LimitRange>, container: &mut Container) {
    if container.role == Role::Ephemeral {
        return;
    }
    if container.memory_request == Amount::Unset {
        let request = range.value.request.map(Amount::Bytes);
        let own = Some(&container.memory_limit).filter(|limit| **limit != Amount::Unset).cloned();
        container.memory_request = own.or(request).unwrap_or(Amount::Unset);
    }
    if let (Amount::Unset, Some(limit)) = (&container.memory_limit, range.value.limit) {
        container.memory_limit = Amount::Bytes(limit);
        container.limit_given_by = Some(range.place.clone());
    }
}

/// The ResourceQuota that refuses a pod as it is, if any.
fn refused_by(pod: &PodTemplate, cluster: &Cluster) -> Option<String> {
    let incomplete = pod.limitable_containers().any(|container| !pod.is_limited(container));
    let mut quotas = cluster.memory_quotas.iter().filter(|quota| quota.value.namespace == pod.namespace);
    quotas.next().filter(|_| incomplete).map(|quota| quota.value.name.clone())
}

/// Whether the cluster does not know limits of a whole pod: its nodes' kubelets are all older than KEP-2837.
fn is_without_pod_limits(kubelets: &[Found<Version>]) -> bool {
    !kubelets.is_empty() && kubelets.iter().all(|kubelet| !kubelet.value.kubelet_knows_pod_limits())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::Input;
    use crate::fixture::manifest;
    use crate::kubernetes::pod::{Amount, PodTemplate};

    fn deployment(namespace: Value, resources: Value) -> Value {
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "namespace": namespace},
            "spec": {"template": {"spec": {"containers": [{"name": "app", "resources": resources}]}}},
        })
    }

    fn limit_range(namespace: Value, item: Value) -> Value {
        json!({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l", "namespace": namespace}, "spec": {"limits": [item]}})
    }

    fn default(limit: &str, request: Value) -> Value {
        json!({"type": "Container", "default": {"memory": limit}, "defaultRequest": {"memory": request}})
    }

    fn quota(namespace: Value) -> Value {
        json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q", "namespace": namespace}, "spec": {"hard": {"limits.memory": "1Ti"}}})
    }

    fn pod(items: Value) -> PodTemplate {
        manifest(json!({"apiVersion": "v1", "kind": "List", "items": items})).pods.remove(0)
    }

    fn mebibytes(pod: &PodTemplate) -> (Option<u128>, Option<u128>) {
        let mebibytes = |amount: &Amount| amount.bytes().map(|bytes| bytes >> 20);
        let container = &pod.containers[0];
        (mebibytes(&container.memory_limit), mebibytes(&container.memory_request))
    }

    /// `mergeContainerResources` of LimitRanger and `SetDefaults_Pod` before it.
    #[test]
    fn a_limit_range_fills_in_what_is_missing() {
        for (resources, expected) in [
            (json!(null), (Some(512), Some(64))),
            (json!({"limits": {"cpu": 1}}), (Some(512), Some(64))),
            (json!({"requests": {"memory": "128Mi"}}), (Some(512), Some(128))),
            (json!({"limits": {"memory": "1Gi"}}), (Some(1024), Some(1024))),
            (json!({"limits": {"memory": "0"}}), (None, None)),
            (json!({"limits": {"memory": null}}), (None, None)),
        ] {
            let range = limit_range(json!("shop"), default("512Mi", json!("64Mi")));
            let pod = pod(json!([deployment(json!("shop"), resources.clone()), range]));
            assert_eq!(mebibytes(&pod), expected, "{resources}");
        }
    }

    #[test]
    fn only_the_same_namespace_counts_whatever_the_order() {
        for (of_pod, of_range, limit) in [
            (json!("shop"), json!("shop"), Some(512)),
            (json!(null), json!(null), Some(512)),
            (json!("shop"), json!("bank"), None),
            (json!("shop"), json!(null), None),
        ] {
            let range = limit_range(of_range, default("512Mi", json!("512Mi")));
            let pod = pod(json!([range, deployment(of_pod, json!(null))]));
            assert_eq!(mebibytes(&pod).0, limit);
        }
    }

    #[test]
    fn texts_are_joined_across_inputs_and_the_largest_default_counts() {
        let inputs = [
            deployment(json!("shop"), json!(null)),
            limit_range(json!("shop"), default("1Gi", json!("1Gi"))),
            limit_range(json!("shop"), default("512Mi", json!("512Mi"))),
        ]
        .map(|object| Input::new("file", object.to_string()));
        let pods = crate::read::texts(&inputs).facts.pods;
        assert_eq!(mebibytes(&pods[0]).0, Some(1024));
        assert_eq!(pods[0].limit_place(&pods[0].containers[0]).input, 1);
    }

    #[test]
    fn a_pod_that_runs_keeps_what_it_has() {
        let mut running = deployment(json!("shop"), json!(null));
        running["kind"] = json!("Pod");
        running["apiVersion"] = json!("v1");
        running["spec"] = json!({"containers": [{"name": "app"}], "nodeName": "w1"});
        let range = limit_range(json!("shop"), default("512Mi", json!("64Mi")));
        let pod = pod(json!([running, range, quota(json!("shop"))]));
        assert_eq!((mebibytes(&pod), pod.refused_by), ((None, None), None));
    }

    /// "must specify limits.memory": the quota comes after LimitRanger.
    #[test]
    fn a_quota_refuses_what_is_still_without_a_limit() {
        let refused = |items| pod(items).refused_by;
        let shop = || json!("shop");
        assert_eq!(refused(json!([deployment(shop(), json!(null)), quota(shop())])).as_deref(), Some("q"));
        assert_eq!(refused(json!([deployment(shop(), json!({"limits": {"memory": "1Gi"}})), quota(shop())])), None);
        assert_eq!(refused(json!([deployment(json!("bank"), json!(null)), quota(shop())])), None);
        let range = limit_range(shop(), default("512Mi", json!("64Mi")));
        assert_eq!(refused(json!([deployment(shop(), json!(null)), quota(shop()), range])), None);
    }

    /// KEP-2837 is alpha in 1.32; older API servers drop the field.
    #[test]
    fn old_clusters_know_no_limit_of_a_pod() {
        let limit = |versions: &str| {
            let pod = "kind: Pod\napiVersion: v1\nspec:\n  resources:\n    limits:\n      memory: 1Gi\n  containers:\n  - name: a\n";
            let text = format!("{pod}---\n$ kubelet --version\n{versions}");
            crate::read::texts(&[Input::new("paste", text)]).facts.pods[0].pod_limit.clone()
        };
        assert_eq!(limit("Kubernetes v1.31.4\n"), Amount::Unset);
        assert_eq!(limit("Kubernetes v1.32.0\n"), Amount::Bytes(1 << 30));
        assert_eq!(limit(""), Amount::Bytes(1 << 30));
        assert_eq!(limit("Kubernetes v1.31.4\nKubernetes v1.34.0\n"), Amount::Bytes(1 << 30));
    }
}
