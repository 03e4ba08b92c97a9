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
