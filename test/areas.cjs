// Which tests a change concerns: `npm run test:area -- agent plan`, or without a name those of what git says has changed.
// `sources` are folders or files of the repository. `tests` are beginnings of paths below test/. An area may share tests with others.
// test/areas.test.ts checks that each folder of src and each test file is in the table.

/** They run with every area: who may import whom, how the code is laid out, and that old missions still replay. */
const RING = ["architecture.test", "structure.test", "areas.test", "coverage/", "workflows/replay.test"];

const AREAS = {
  base: { sources: ["src/core/base", "src/node"], tests: ["core/base/", "node/", "core/journal/", "docs/references"] },
  agent: {
    sources: [
      "src/core/agent",
      "src/core/calls",
      "src/core/pause",
      "src/core/usage",
      "src/workflows/agent",
      "src/authoring",
    ],
    tests: [
      "core/agent/",
      "core/usage/",
      "authoring/",
      "workflows/agent/",
      "workflows/stretches/",
      "workflows/usage",
      "workflows/scenarios",
      "workflows/continue-as-new",
      "workflows/originals",
      "workflows/held-missions",
      "originals/agent",
      "live/order-mission",
      "live/programs",
    ],
  },
  lisp: {
    sources: ["src/core/lisp"],
    tests: ["core/lisp/", "originals/ptc-lisp", "cli/lisp", "docs/ptc-lisp", "prove/sandbox"],
  },
  signature: { sources: ["src/core/signature"], tests: ["core/signature/", "tools/schemas", "tools/declared-input"] },
  journal: {
    sources: ["src/core/journal", "src/core/chain", "src/core/chain-export", "src/workflows/chain"],
    tests: [
      "core/journal/",
      "core/chain-export/",
      "workflows/projection",
      "workflows/joins",
      "client/history",
      "client/journal-in-context",
      "activities/heartbeat-journal",
    ],
  },
  effects: {
    sources: ["src/core/effects", "src/workflows/undo"],
    tests: [
      "core/effects/",
      "workflows/effects/",
      "workflows/undo/",
      "cli/effects",
      "cli/undo",
      "live/effects/",
      "prove/effects",
      "prove/judge-undo",
    ],
  },
  graph: {
    sources: ["src/core/graph", "src/workflows/task", "src/queue"],
    tests: [
      "core/graph/",
      "workflows/task/",
      "queue/",
      "cli/task",
      "cli/workflow",
      "cli/queue",
      "cli/silent-queues",
      "web/graphs",
      "originals/navigator",
      "docs/coming-from",
      "live/tasks-killed",
      "examples/",
    ],
  },
  plan: {
    sources: ["src/core/plan", "src/workflows/plan"],
    tests: [
      "core/plan/",
      "workflows/plan/",
      "client/plan-input",
      "cli/plan",
      "originals/plan",
      "docs/plans",
      "live/plans-killed",
      "examples/plans",
    ],
  },
  review: {
    sources: ["src/core/review", "src/core/people", "src/workflows/inbox", "src/workflows/waits"],
    tests: [
      "core/review/",
      "core/people/",
      "workflows/inbox/",
      "cli/reviews/",
      "client/decide-all",
      "web/inbox",
      "prove/approvals/",
      "prove/inbox",
      "activities/missing-approval",
      "notify/",
    ],
  },
  identity: {
    sources: ["src/identity"],
    tests: [
      "identity/",
      "project/oidc",
      "cli/people",
      "cli/token",
      "cli/signed-decisions",
      "cli/ledger",
      "web/login",
      "web/session",
      "web/principals",
      "live/mcp-people",
      "live/mcp-verified",
    ],
  },
  trace: {
    sources: ["src/core/trace", "src/core/why", "src/core/telemetry", "src/telemetry", "src/workflows/telemetry"],
    tests: [
      "core/trace/",
      "core/why/",
      "core/telemetry/",
      "telemetry/",
      "cli/trace",
      "cli/failed-missions",
      "live/telemetry/",
      "docs/observability",
      "docs/alert",
    ],
  },
  streams: {
    sources: ["src/core/stream", "src/streams"],
    tests: [
      "core/stream/",
      "streams/",
      "live/stream-killed",
      "web/ui-messages",
      "web/ag-ui",
      "prove/stream",
      "activities/listeners",
    ],
  },
  workflows: { sources: ["src/workflows"], tests: ["workflows/", "originals/"] },
  activities: { sources: ["src/activities"], tests: ["activities/", "workflows/agent/"] },
  worker: {
    sources: ["src/worker", "src/worker.ts", "src/plugin"],
    tests: [
      "worker/",
      "plugin/",
      "live/lost-work/",
      "live/rolling-deploy",
      "live/embedding/",
      "live/deploy/",
      "workflows/endless-workflow",
      "workflows/embedded/",
    ],
  },
  client: {
    sources: ["src/client", "src/client.ts", "src/index.ts", "src/entries"],
    tests: ["client/", "workflows/plain-client", "docs/generated"],
  },
  cli: { sources: ["src/cli", "src/demo", "src/init"], tests: ["cli/", "dev/", "init/", "examples/"] },
  background: {
    sources: ["src/background", "src/backend"],
    tests: ["background/", "server/background", "mcp/", "live/projects"],
  },
  server: { sources: ["src/server"], tests: ["server/", "database/", "live/server-killed"] },
  project: {
    sources: ["src/project", "src/catalog", "catalog"],
    tests: ["project/", "catalog/", "cli/project/", "cli/catalog-run", "live/projects", "live/examples"],
  },
  mcp: { sources: ["src/mcp"], tests: ["mcp/", "live/mcp", "originals/mcp", "web/mcp-app"] },
  models: { sources: ["src/models"], tests: ["models/", "activities/call-model", "docs/models"] },
  tools: { sources: ["src/tools"], tests: ["tools/", "activities/call-tool", "cli/tools", "docs/tools"] },
  web: { sources: ["src/web", "src/http", "page"], tests: ["web/", "page/", "live/mission-control"] },
  notify: { sources: ["src/notify"], tests: ["notify/", "live/notifications-killed", "workflows/agent/notifications"] },
  encoding: {
    sources: ["src/encoding", "src/secrets"],
    tests: ["encoding/", "secrets/", "live/secrets/", "server/encryption"],
  },
  testing: { sources: ["src/testing"], tests: ["testing/", "workflows/test-kit", "mcp/"] },
  simulate: { sources: ["src/simulate"], tests: ["simulate/", "workflows/scenarios"] },
  prove: { sources: ["src/prove"], tests: ["prove/", "cli/prove", "live/prove/"] },
  bench: { sources: ["bench"], tests: ["bench/"] },
  docs: {
    sources: ["docs", "README.md", "CONTRIBUTING.md", "AGENTS.md", "CHANGELOG.md"],
    tests: ["docs/", "live/doc-examples", "cli/docs-workflows"],
  },
  examples: { sources: ["examples", "templates"], tests: ["examples/", "live/examples", "cli/demo", "init/"] },
  plugins: { sources: ["plugins"], tests: ["plugins/"] },
  scripts: {
    sources: ["scripts", "deploy", "docker", "package.json", "create-navigator-agents", ".github"],
    tests: ["scripts/", "live/package"],
  },
};

const covers = (place, file) => file === place || file.startsWith(`${place}/`);

/** The areas of files of the repository. Of two places, the one that says more wins: src/workflows/plan is not all of src/workflows. */
function areasOf(files) {
  const found = new Set();
  for (const file of files) {
    const places = Object.entries(AREAS).flatMap(([area, { sources }]) =>
      sources.filter((place) => covers(place, file)).map((place) => ({ area, place })),
    );
    const longest = Math.max(0, ...places.map(({ place }) => place.length));
    for (const { area } of places.filter(({ place }) => place.length === longest)) found.add(area);
  }
  return [...found];
}

/** What of a list of test files (paths below test/) belongs to areas, with the ring. */
function testsOf(areas, files) {
  const beginnings = [...RING, ...areas.flatMap((area) => AREAS[area].tests)];
  return files.filter((file) => beginnings.some((beginning) => file.startsWith(beginning)));
}

module.exports = { RING, AREAS, areasOf, testsOf };
