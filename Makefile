# The two commands: `make run` serves the page on this machine, `make test` checks everything.
# Missing tools are installed on the way, see .ci/tools.

PORT ?= 8080

CARGO_BIN := $(or $(CARGO_HOME),$(HOME)/.cargo)/bin
export PATH := $(CURDIR)/.tools/bin:$(CURDIR)/.tools/node_modules/.bin:$(CARGO_BIN):$(PATH)
# Trunk 0.21 takes NO_COLOR=1 for a wrong argument.
TRUNK := env -u NO_COLOR trunk
BROWSER_TEST := CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER=wasm-bindgen-test-runner CHROMEDRIVER=$$(command -v chromedriver) cargo test

.PHONY: run test page module e2e screenshots policy.wasm annotated-policy.wasm bench fuzz fmt clean

# Build everything and serve the page; Ctrl-C stops.
run:
	@playground/serve.py --check $(PORT)
	@.ci/tools rust page wasm-opt
	$(MAKE) policy.wasm page
	@playground/serve.py $(PORT)

# Cheap checks first. The policy's tests run the module that was built just before.
test:
	@.ci/tools rust page wasm-opt typescript docs e2e
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	cargo clippy --locked --package policy --target wasm32-wasip1 -- -D warnings
	cargo clippy --locked --package playground --package module --target wasm32-unknown-unknown --all-targets -- -D warnings
	RUSTDOCFLAGS='-D warnings' cargo doc --locked --workspace --no-deps
	$(MAKE) policy.wasm
	python3 -m unittest discover --start-directory playground
	cargo test --locked --workspace
	$(BROWSER_TEST) --locked --package playground --target wasm32-unknown-unknown
	$(MAKE) module
	$(MAKE) -C playground/module test
	$(MAKE) page
	$(MAKE) e2e

# The page as static files in dist/.
page:
	@.ci/tools rust page wasm-opt
	$(TRUNK) build

# The rule core as an npm package for node and browsers, target/module/noderisk-VERSION.tgz.
module:
	@.ci/tools rust page wasm-opt
	$(MAKE) -C playground/module module

# The built page in a real browser, its reports against the command's. FILES= narrows it down: FILES=share.test.mjs.
e2e:
	@.ci/tools rust docs e2e
	cargo build --locked --package rules
	cd e2e && node --test --test-concurrency=2 --test-reporter=spec $(FILES)

# The README's pictures of the page, in docs/; with REVIEW=FOLDER instead a picture of every state, language and theme.
screenshots: page
	@.ci/tools e2e
	cd e2e && node screenshots.mjs $(if $(REVIEW),--review $(abspath $(REVIEW)))

# The Kubewarden module, policy/policy.wasm.
policy.wasm:
	@.ci/tools rust wasm-opt
	$(MAKE) -C policy policy.wasm

# The same with its metadata, ready for a policy-server: policy/annotated-policy.wasm.
annotated-policy.wasm:
	@.ci/tools rust wasm-opt
	$(MAKE) -C policy annotated-policy.wasm

# How fast pastes are read and how fast the policy judges; FILTER=journal/check or FILTER=policy/pod narrows it down.
# The policy's host, wasmtime, takes some ten minutes to build, once.
bench:
	$(if $(filter policy%,$(FILTER)),,cargo bench --locked --package rules --bench reading -- $(FILTER))
	@$(if $(filter-out policy%,$(FILTER)),,.ci/tools rust wasm-opt)
	$(if $(filter-out policy%,$(FILTER)),,$(MAKE) -C policy bench FILTER=$(FILTER))

# Ten minutes for each target, starting from the examples. FUZZ_SECONDS= and FUZZ_TARGETS= change that.
FUZZ_SECONDS ?= 600
FUZZ_TARGETS ?= $(shell sed -n 's/^name = "\([a-z-]*\)"$$/\1/p' rules/fuzz/Cargo.toml | grep -v rules-fuzz)
fuzz:
	@.ci/tools fuzz
	cd rules/fuzz && for target in $(FUZZ_TARGETS); do \
	    mkdir -p corpus/$$target; \
	    cargo +nightly fuzz run --fuzz-dir . $$target corpus/$$target ../../examples -- \
	        -max_total_time=$(FUZZ_SECONDS) -max_len=65536 -rss_limit_mb=1024 -timeout=10 || exit 1; \
	done

fmt:
	cargo fmt --all

# Leaves the tools; remove .tools to get rid of them as well.
clean:
	cargo clean
	rm -rf dist policy/policy.wasm policy/annotated-policy.wasm policy/bench/*.wasm
