# writ: what a person types. `make help` lists it. Meson does the building; this file spares you
# its options. Packages that are missing are installed first (tools/setup, Debian; root or sudo).

PREFIX ?= /usr/local
DESTDIR ?=
RELEASE = -Doptimization=3 -Ddebug=true -Dstatic=true -Dtests=false

all: build/build.ninja            ## build build/writ
	@ninja -C build --quiet

demo:                             ## build it and show what it does (tools/demo all: more of it)
	@echo "Building build/writ: two minutes or less the first time, a second after that."
	@$(MAKE) --no-print-directory all
	@tools/demo

check:                            ## build and run every test (minutes)
	@tools/setup check
	@tools/setup peers
	@tools/check

check-long:                       ## check, valgrind, 10 million doubles, fuzzers, processors, v2, soak, ledger, lanes
	@tools/setup long
	@tools/setup x86 || true
	@tools/setup arm || true
	@tools/setup v2 || true
	@tools/setup slurm || true
	@tools/check all

check-x86:                        ## cross-build for x86-64 and run its tests under qemu
	@tools/setup check
	@tools/setup x86 || true
	@tools/check x86

check-arm:                        ## cross-build for arm64 and run its tests under qemu
	@tools/setup check
	@tools/setup arm || true
	@tools/check arm

check-v2:                         ## the sandbox on cgroup v2, in a small machine under qemu
	@tools/setup check
	@tools/setup peers
	@tools/setup v2 || true
	@tools/check v2

check-slurm:                      ## lanes in Slurm: two nodes on this machine (root)
	@tools/setup check
	@tools/setup peers
	@tools/setup slurm || true
	@tools/check slurm

fuzz:                             ## 60 seconds of each fuzzer (FUZZ_SECONDS=n for more)
	@tools/setup check
	@tools/setup peers
	@tools/check fuzz

bench: build-bench/build.ninja    ## measure against others, in one run
	@tools/setup bench # a peer may have gone since
	@ninja -C build-bench --quiet
	@cp build-bench/writ build-bench/.writ && mv build-bench/.writ build-bench/writ # as it is installed
	@find build-bench -type f -perm -u+x -name 'bench_*' | sort | xargs -n 1 env --

format:                           ## let clang-format lay out the code
	@tools/setup check
	@tools/setup peers
	@tools/format

install: build/build.ninja        ## install; PREFIX and DESTDIR are heard
	@meson configure build -Dprefix=$(PREFIX)
	@ninja -C build --quiet
	@DESTDIR="$(DESTDIR)" meson install -C build --quiet

clean:                            ## remove everything that was built
	@rm -rf build build-bench build-check build-asan build-x86 build-arm

help:                             ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 18

build/build.ninja:
	@tools/setup build
	@meson setup build $(RELEASE)

build-bench/build.ninja:
	@tools/setup bench
	@meson setup build-bench $(RELEASE) -Dbench=true

.PHONY: all demo check check-long check-x86 check-arm check-v2 check-slurm fuzz bench format install clean help
