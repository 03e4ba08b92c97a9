#!/usr/bin/env bats

# Runs the annotated module in kwctl: `make e2e-tests`.

@test "a memory volume that nothing limits is rejected" {
  run kwctl run annotated-policy.wasm -r test_data/deployment_unlimited.json
  echo "output = ${output}"
  [ "$status" -eq 0 ]
  [ $(expr "$output" : '.*"allowed":false.*') -ne 0 ]
  [ $(expr "$output" : '.*container busybox, volume memvol.*') -ne 0 ]
  [ $(expr "$output" : '.*Set resources.limits.memory to.*') -ne 0 ]
}

@test "the same deployment with a memory limit is accepted" {
  run kwctl run annotated-policy.wasm -r test_data/deployment_limited.json
  echo "output = ${output}"
  [ "$status" -eq 0 ]
  [ $(expr "$output" : '.*"allowed":true.*') -ne 0 ]
  [ $(expr "$output" : '.*"warnings":\[".*') -eq 0 ]
}

@test "an init container without a limit is rejected" {
  run kwctl run annotated-policy.wasm -r test_data/pod_init_writer_unlimited.json
  echo "output = ${output}"
  [ "$status" -eq 0 ]
  [ $(expr "$output" : '.*"allowed":false.*') -ne 0 ]
  [ $(expr "$output" : '.*container warm-up.*') -ne 0 ]
}

@test "a size limit alone is accepted with a warning" {
  run kwctl run annotated-policy.wasm -r test_data/deployment_size_limit_only.json
  echo "output = ${output}"
  [ "$status" -eq 0 ]
  [ $(expr "$output" : '.*"allowed":true.*') -ne 0 ]
  [ $(expr "$output" : '.*"warnings":\["Deployment/default/memvol.*') -ne 0 ]
}

@test "settings turn the warning into a rejection" {
  run kwctl run annotated-policy.wasm -r test_data/deployment_size_limit_only.json \
    --settings-json '{"rules": {"memory-volume-size-limit-only": "deny"}}'
  echo "output = ${output}"
  [ "$status" -eq 0 ]
  [ $(expr "$output" : '.*"allowed":false.*') -ne 0 ]
}

@test "deleting is always allowed" {
  run kwctl run annotated-policy.wasm -r test_data/pod_delete.json
  echo "output = ${output}"
  [ "$status" -eq 0 ]
  [ $(expr "$output" : '.*"allowed":true.*') -ne 0 ]
}

@test "wrong settings are refused with what is allowed" {
  run kwctl run annotated-policy.wasm -r test_data/deployment_limited.json --settings-json '{"rule": {}}'
  echo "output = ${output}"
  [ "$status" -ne 0 ]
  [ $(expr "$output" : '.*unknown setting `rule`.*') -ne 0 ]
}

@test "a maximum rejects what may grow larger" {
  run kwctl run annotated-policy.wasm -r test_data/deployment_size_limit_only.json \
    --settings-json '{"maxSizeLimit": "16Mi"}'
  echo "output = ${output}"
  [ "$status" -eq 0 ]
  [ $(expr "$output" : '.*"allowed":false.*') -ne 0 ]
  [ $(expr "$output" : '.*memory-volume-over-max.*') -ne 0 ]
}

@test "a default above its maximum is refused" {
  run kwctl run annotated-policy.wasm -r test_data/deployment_limited.json \
    --settings-json '{"defaultSizeLimit": "2Gi", "maxSizeLimit": "1Gi"}'
  echo "output = ${output}"
  [ "$status" -ne 0 ]
  [ $(expr "$output" : '.*defaultSizeLimit: 2Gi is larger than maxSizeLimit, 1Gi.*') -ne 0 ]
}

@test "defaults are added and nothing else is changed" {
  run bash -c 'kwctl run annotated-policy.wasm -r test_data/deployment_unlimited.json \
    --settings-json "{\"defaultSizeLimit\": \"64Mi\", \"defaultMemoryLimit\": \"256Mi\"}" 2>/dev/null |
    jq -er ".patch | @base64d" | jq -c "[.[] | .op, .path]"'
  echo "output = ${output}"
  [ "$status" -eq 0 ]
  [ $(expr "$output" : '.*remove.*') -eq 0 ]
  [ $(expr "$output" : '.*/spec/template/spec/containers/0/resources/limits.*') -ne 0 ]
  [ $(expr "$output" : '.*/spec/template/spec/volumes/0/emptyDir/sizeLimit.*') -ne 0 ]
}

@test "what has limits is not changed" {
  run kwctl run annotated-policy.wasm -r test_data/deployment_limited.json \
    --settings-json '{"defaultMemoryLimit": "256Mi"}'
  echo "output = ${output}"
  [ "$status" -eq 0 ]
  [ $(expr "$output" : '.*"allowed":true.*') -ne 0 ]
  [ $(expr "$output" : '.*"patch":.*') -eq 0 ]
}

@test "exempt volumes are not judged" {
  run kwctl run annotated-policy.wasm -r test_data/deployment_unlimited.json \
    --settings-json '{"exemptVolumes": ["mem*"]}'
  echo "output = ${output}"
  [ "$status" -eq 0 ]
  [ $(expr "$output" : '.*"allowed":true.*') -ne 0 ]
}

@test "a node is accepted with a warning" {
  run kwctl run annotated-policy.wasm -r test_data/node_leaking_kernel.json
  echo "output = ${output}"
  [ "$status" -eq 0 ]
  [ $(expr "$output" : '.*"allowed":true.*') -ne 0 ]
  [ $(expr "$output" : '.*"warnings":\["Node/worker-1.*') -ne 0 ]
}

@test "a node is rejected where rejections become report entries" {
  run kwctl run annotated-policy.wasm -r test_data/node_leaking_kernel.json \
    --settings-json '{"nodeFindings": "reject"}'
  echo "output = ${output}"
  [ "$status" -eq 0 ]
  [ $(expr "$output" : '.*"allowed":false.*') -ne 0 ]
}

@test "LimitRanges that may not be read leave a warning" {
  run kwctl run annotated-policy.wasm -r test_data/deployment_unlimited.json \
    --settings-json '{"readLimitRanges": true}'
  echo "output = ${output}"
  [ "$status" -eq 0 ]
  [ $(expr "$output" : '.*judged without the LimitRanges of default.*') -ne 0 ]
}
