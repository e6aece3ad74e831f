# Everyday commands. `make` lists them.

# The demo: a generated block with so many transfers, its proof, and the program that validates it.
TXS        ?= 1
DEMO_BLOCK := target/demo.block
DEMO_PROOF := target/demo.proof
RELEASE    := $(or $(CARGO_TARGET_DIR),target)/release
# What `make simd-check` proves: the Fibonacci guest on n = 1000.
PROVE_FIB  := -p lambda-prover --example prove_guest -- guests/elf/fib.elf e803000000000000
# Benchmarks are binaries of lambda-benches; each takes `--json FILE`.
BENCH   := cargo run --release -p lambda-benches --bin
RESULTS := benches/results
CHART   := docs/src/scaling.svg
# Tallest trace of `make bench-scaling`.
MAX_HEIGHT_LOG2 ?= 22
# `make bench-e22`: cycles of the epoch, log2, and runs of each budget.
E          ?= 16
RUNS       ?= 1
# `make fault-sweep`: plans, each of one seed.
SEEDS      ?= 1000
# `make fuzz`: cases per property, or seconds per target with cargo-fuzz.
CASES        ?= 100000
FUZZ_SECONDS ?= 300
FUZZ_SEED    := verifier/tests/data/golden-v1.proof
# `make simd-check`: builds to compare, LEVEL-PROFILE, of the levels that this processor has.
SIMD_LEVELS := scalar $(foreach level,avx2 avx512,$(if $(shell grep -m1 -w $(level)f* /proc/cpuinfo),$(level)))
SIMD_BUILDS ?= $(foreach profile,release dev,$(SIMD_LEVELS:%=%-$(profile)))
SIMD_DIR    := $(or $(CARGO_TARGET_DIR),target)

.DEFAULT_GOAL := help
.PHONY: help demo test lint tidy doc bench bench-peers bench-scaling fuzz simd-check check-eels audit golden guests \
  gen-ptx check-ptx kernel-sanitize gpu-check bench-device bench-e22 fault-sweep clean

##@ Start here

help: ## List the targets
	@awk 'BEGIN { FS = ":.*## " } \
	  /^##@ / { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## Make an Ethereum block, prove that it is valid, verify the proof (TXS=)
	@mkdir -p $(dir $(DEMO_PROOF))
	cargo build --release -p lambda-cli -p lambda-verifier
	$(RELEASE)/lambda-prove block gen --txs $(TXS) -o $(DEMO_BLOCK)
	$(RELEASE)/lambda-prove block prove $(DEMO_BLOCK) -o $(DEMO_PROOF)
	$(RELEASE)/lambda-verify $(DEMO_PROOF) --elf guests/elf/block.elf --block $(DEMO_BLOCK)

test: ## Run every test
	cargo test --workspace

##@ Before a commit

lint: ## Check formatting and clippy, warnings denied
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings

tidy: ## Check the house rules (see xtask/src/tidy.rs)
	cargo xtask tidy

doc: ## Build the API docs, warnings denied, and the book where mdbook is installed
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps
	@if command -v mdbook >/dev/null; then mdbook build docs --dest-dir "$(CURDIR)/book"; \
	else echo "mdbook is not installed: the book was not built"; fi

golden: ## Rewrite the golden files (proof bytes changed: say so in the CHANGELOG, tagged [proof])
	UPDATE_GOLDEN=1 cargo test --workspace golden

##@ Longer checks

fuzz: ## Hammer the verifier with damaged proofs (CASES=, FUZZ_SECONDS=)
	@if cargo +nightly fuzz --version >/dev/null 2>&1 && test -d verifier/fuzz; then \
	  for target in decode verify; do \
	    cargo +nightly fuzz run --fuzz-dir verifier/fuzz $$target -- \
	      -seed_inputs=$(FUZZ_SEED) -max_len=65536 -max_total_time=$(FUZZ_SECONDS) || exit; \
	  done; \
	else PROPTEST_CASES=$(CASES) cargo test --release -p lambda-verifier --test fuzz; fi

simd-check: $(SIMD_BUILDS:%=$(SIMD_DIR)/simd/%.proof) ## Compare proofs across vector widths and profiles
	@sha256sum $^
	@test $$(sha256sum $^ | cut -d' ' -f1 | sort -u | wc -l) = 1 || \
	  { echo "simd-check: these builds disagree about the proof" >&2; exit 1; }
	@echo "simd-check: $(words $^) builds agree"

# A build of its own for each level. `native` is the everyday build and shares its folder.
FLAGS_native := -Ctarget-cpu=native
FLAGS_avx512 := -Ctarget-cpu=x86-64-v4
FLAGS_avx2   := -Ctarget-cpu=x86-64-v3
FLAGS_scalar := -Ctarget-cpu=x86-64
level   = $(firstword $(subst -, ,$*))
profile = $(lastword $(subst -, ,$*))

$(SIMD_DIR)/simd/%.proof: FORCE
	@mkdir -p $(@D)
	RUSTFLAGS="$(or $(FLAGS_$(level)),$(error no such level: $(level)))" \
	  cargo run --quiet --profile $(profile) --target-dir $(SIMD_DIR)$(if $(FLAGS_$(level):%native=),/simd-$(level)) \
	  $(PROVE_FIB) $@

FORCE:

# Python with the executable specification of Ethereum.
EELS         := target/eels
EELS_VERSION := 2.20.0

$(EELS)/$(EELS_VERSION):
	python3 -m venv $(EELS)
	$(EELS)/bin/pip install --quiet ethereum-execution==$(EELS_VERSION)
	touch $@

check-eels: $(EELS)/$(EELS_VERSION) ## Check generated blocks with Ethereum's executable specification
	PATH="$(CURDIR)/$(EELS)/bin:$$PATH" cargo test -p lambda-block --test eels -- --nocapture

audit: ## Check licences, advisories and sources of the dependencies, where cargo-deny is installed
	@if cargo deny --version >/dev/null 2>&1; then cargo deny check; \
	else echo "cargo-deny is not installed: cargo install --locked cargo-deny"; fi

guests: ## Rebuild the guest programs (needs Debian's rustc-web; see guests/README.md)
	guests/build.sh

##@ GPU kernels

# NVIDIA's run-time compiler. Needs no GPU; LAMBDA_NVRTC names a folder that has it already.
NVRTC_VERSION := 13.0.88
NVRTC         := target/nvrtc/$(NVRTC_VERSION)

$(NVRTC):
	PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check --no-deps --upgrade \
	  --target target/nvrtc nvidia-cuda-nvrtc==$(NVRTC_VERSION)
	touch $@

gen-ptx: $(if $(LAMBDA_NVRTC),,$(NVRTC)) ## Compile the GPU kernels to the PTX that is committed (ONLY=family)
	cargo xtask gen-ptx $(if $(ONLY),--only $(ONLY))

check-ptx: $(if $(LAMBDA_NVRTC),,$(NVRTC)) ## Compare the committed PTX with its sources; no spills, no warnings
	cargo xtask gen-ptx --check $(if $(ONLY),--only $(ONLY))

kernel-sanitize: ## Run the GPU kernels natively under sanitizers, on launches recorded from their tests (RECORDS=)
	RECORDS=$(RECORDS) math-cuda/lane/sanitize.sh

fault-sweep: ## Prove on the stand-in driver under many plans of faults (SEEDS=)
	@mkdir -p $(RESULTS)
	LAMBDA_SWEEP_SEEDS=$(SEEDS) LAMBDA_SWEEP_RESULT=$(CURDIR)/$(RESULTS)/fault-sweep.json \
	  cargo test --release -p lambda-gpu-lde --test faults -- --nocapture every_plan

gpu-check: ## Test and time the kernels on a GPU, where there is one (see math-cuda/gpu-check.sh)
	math-cuda/gpu-check.sh

##@ Benchmarks

bench: ## Time executions, the kernels, the rounds and whole proofs
	@mkdir -p $(RESULTS)
	$(BENCH) executions -- --json $(RESULTS)/executions.json
	$(BENCH) kernels -- --json $(RESULTS)/kernels.json
	$(BENCH) rounds -- --json $(RESULTS)/rounds.json
	$(BENCH) end_to_end -- --json $(RESULTS)/end_to_end.json

bench-peers: ## Time a peer beside us on equal terms; ends with `peer NAME ratio R` lines
	@mkdir -p $(RESULTS)
	$(BENCH) peers -- --json $(RESULTS)/peers.json

bench-scaling: ## Time one AIR over all heights and draw the chart (MAX_HEIGHT_LOG2=)
	@mkdir -p $(RESULTS)
	$(BENCH) scaling -- --max-height-log2 $(MAX_HEIGHT_LOG2) --json $(RESULTS)/scaling.json
	cargo xtask chart $(RESULTS)/scaling.json $(CHART)

bench-device: ## Time every kernel on a GPU beside what the card could do, where there is one
	@mkdir -p $(RESULTS)
	cargo run --release -p lambda-math-cuda --example bench_kernels -- --json $(RESULTS)/device-kernels.json

bench-e22: ## Prove an epoch of 2^E cycles under less and less device memory (E=, RUNS=)
	@mkdir -p $(RESULTS)
	cargo build --release -p lambda-cuda-emu
	$(BENCH) e22 -- --cycles-log2 $(E) --runs $(RUNS) --json $(RESULTS)/e22.json

##@ Rest

clean: ## Remove what was built
	cargo clean
	rm -rf book
