# Everything here works from a fresh clone on Debian 12 with Node 20 or newer and npm 10 or newer; what else is needed is
# installed on the way (system packages only as root). The project's own Node comes with npm, from the lock file.

SYSTEM_PATH := $(subst $(CURDIR)/node_modules/.bin:,,$(PATH))
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

SOURCES := $(shell find base schema program storage storage-embedded storage-etcd client server controllers scheduler nodes dev test-cluster storage-tool console cli proto -type f ! -path '*/generated/*' 2>/dev/null)
INSTALLED := node_modules/.package-lock.json
BUILT := dist/.built

.DEFAULT_GOAL := help
.PHONY: help run dev docs watch coverage bench-gate release certificates reload rotate restore screenshots test e2e chaos bench image images-offline pack lint build clean

help: ## Show what there is
	@echo 'make run    start etcd, two replicas, a controller manager, a scheduler and simulated nodes, and say what to type next (NAMING=kubernetes for the upstream words, NODES=3)'
	@echo 'make dev    a cluster in one process, in memory, until Ctrl-C (FLAGS=--help says what else it can do)'
	@echo 'make watch  start a replica and a controller manager; build, start again and test what changes (PORTS=6443)'
	@echo 'make certificates  certificates and settings of a deployment (FLAGS=--help says which there are)'
	@echo 'make rotate  replace an authority of a deployment while it serves (AUTHORITY=ca, etcd-ca, front-ca or signing-ca)'
	@echo 'make reload  bring changed settings and images to the containers of deploy/compose.yaml, one after the other'
	@echo 'make restore put a snapshot of etcd back into deploy/compose.yaml (SNAPSHOT=file)'
	@echo 'make test   build, check types, run unit and integration tests (they start etcd)'
	@echo 'make coverage  show which lines make test runs, in .run/coverage (FILES=... are the tests, all by default)'
	@echo 'make e2e    test whole systems in containers (needs docker; starts dockerd where none runs)'
	@echo 'make chaos  hurt replicas, etcd and controller managers while clients work, and check what was seen and done (DURATION=1200 seconds, SEED=number, KEEP=1 keeps the data of etcd where something was not right)'
	@echo 'make bench  measure what requests cost'
	@echo 'make bench-gate  measure the change in this folder beside its base, in a few minutes (BASE=commit)'
	@echo 'make release VERSION=1.2.3  make what is published of a version, in dist/release'
	@echo 'make image  build the container images of the server and of a cluster in one process (IMAGE and DEV_IMAGE name them, BASE_IMAGE is what they build on)'
	@echo 'make images-offline  build all images that deploy/compose.yaml needs, of the programs of this machine, without a registry'
	@echo 'make pack   build npm packages in dist/: the client library, test clusters, orch-dev and orchctl'
	@echo 'make screenshots  take the pictures of the console in docs/console, with a browser (FLAGS=table takes one of them)'
	@echo 'make docs   write a page about each kind of the API into docs/api'
	@echo 'make lint   check format, lint rules, the ways of imports, plain words and spelling, and that nothing is unused; "npm run format" mends what can be mended'
	@echo 'make build  bundle the server into dist/'
	@echo 'make clean  remove dist/ and generated files; data of "make run" stays in .run/'

# npm itself runs on the machine's Node: it replaces the one in node_modules. Where that is a link, as in a second working
# tree, npm would empty the folder that others use.
$(INSTALLED): package.json package-lock.json
	@test ! -L node_modules || { echo 'node_modules is a link: install where it leads to, then touch $@'; exit 1; }
	PATH='$(SYSTEM_PATH)' npm ci --no-audit --no-fund --loglevel=error
	@touch $@

$(BUILT): $(INSTALLED) $(SOURCES) scripts/bundle.ts tsconfig.json
	rm -rf dist
	npm run --silent build
	node scripts/json-schemas.ts
	@touch $@

build: $(BUILT)

# FLAGS are further flags of the replicas.
run: $(BUILT)
	@FLAGS='$(subst ','\'',$(strip $(FLAGS)))' exec node scripts/run.ts

# FLAGS as --kubeconfig=FILE or --data=DIR.
dev: $(BUILT)
	@exec node dist/dev/main.js $(strip $(FLAGS))

watch: $(BUILT)
	@exec node scripts/watch.ts

certificates: $(BUILT)
	@node scripts/make-certificates.ts $(strip $(FLAGS))

reload: $(BUILT)
	@node scripts/reload.ts $(strip $(FLAGS))

rotate: $(BUILT)
	@node scripts/rotate.ts $(if $(AUTHORITY),--authority=$(AUTHORITY)) $(strip $(FLAGS))

restore: $(BUILT)
	@node scripts/restore.ts $(if $(SNAPSHOT),--snapshot=$(SNAPSHOT)) $(strip $(FLAGS))

# Types are checked beside the tests, which wait now and then.
test: $(BUILT)
	@npm run --silent typecheck & types=$$!; \
	ETCD="$$(node scripts/find-etcd.ts)" RETRIES=$(or $(RETRIES),0) NODE_COMPILE_CACHE=$(CURDIR)/.run/compile-cache node scripts/test.ts; tests=$$?; \
	wait $$types && exit $$tests

coverage: $(BUILT)
	ETCD="$$(node scripts/find-etcd.ts)" NODE_DISABLE_COMPILE_CACHE=1 npm run --silent coverage -- \
	  node $(if $(FILES),node_modules/mocha/bin/mocha.js $(FILES),scripts/test.ts)

e2e: $(BUILT)
	node scripts/e2e.ts

chaos: $(BUILT)
	ETCD="$$(node scripts/find-etcd.ts)" node e2e/chaos/main.ts
	ETCD="$$(node scripts/find-etcd.ts)" node e2e/chaos/controllers/main.ts

bench: $(BUILT)
	npm run --silent bench

bench-gate: $(BUILT)
	@ETCD="$$(node scripts/find-etcd.ts)" node bench/gate.ts $(strip $(FLAGS))

release: $(INSTALLED)
	@node scripts/release.ts '$(VERSION)'

image: $(BUILT)
	node scripts/image.ts

images-offline: $(BUILT)
	@node scripts/images-offline.ts

pack: $(BUILT)
	@node scripts/pack-client.ts
	@node scripts/pack-test-cluster.ts
	@node scripts/pack-dev.ts
	@node scripts/pack-command-line.ts

screenshots: $(BUILT)
	@ETCD="$$(node scripts/find-etcd.ts)" node scripts/screenshots.ts $(strip $(FLAGS))

docs: $(INSTALLED)
	@npm run --silent generate
	@node scripts/api-docs.ts

lint: $(INSTALLED)
	npm run --silent lint

clean:
	rm -rf dist
	find schema program client -type d -name generated -prune -exec rm -rf {} +
