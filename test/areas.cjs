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
      "src/core/base/input",
      "src/core/agent/budget",
      "src/workflows/agent",
      "src/project/authoring",
    ],
    tests: [
      "core/agent/",
      "core/calls/",
      "activities/run-calls",
      "activities/sequence-calls",
      "activities/calls-side-by-side",
      "activities/read-kept-calls",
      "project/authoring/",
      "workflows/agent/",
      "workflows/sequences/",
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
    sources: [
      "src/core/journal",
      "src/core/history/read",
      "src/core/effects/chain",
      "src/core/history/export",
      "src/workflows/chain",
    ],
    tests: [
      "core/journal/",
      "core/history/",
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
    sources: ["src/core/graph", "src/workflows/task", "src/client/tasks"],
    tests: [
      "core/graph/",
      "workflows/task/",
      "client/tasks/",
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
    sources: ["src/core/review", "src/core/review/people", "src/workflows/inbox", "src/workflows/waits"],
    tests: [
      "core/review/",
      "workflows/inbox/",
      "cli/reviews/",
      "client/decide-all",
      "web/inbox",
      "prove/approvals/",
      "prove/inbox",
      "activities/missing-approval",
      "activities/notify/",
    ],
  },
  identity: {
    sources: ["src/node/identity"],
    tests: [
      "node/identity/",
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
    sources: [
      "src/core/history/trace",
      "src/core/history/why",
      "src/core/history/spans",
      "src/node/telemetry",
      "src/workflows/telemetry",
    ],
    tests: [
      "core/history/",
      "node/telemetry/",
      "cli/trace",
      "cli/failed-missions",
      "live/telemetry/",
      "docs/observability",
      "docs/alert",
    ],
  },
  streams: {
    sources: ["src/core/history/stream", "src/node/streams"],
    tests: [
      "core/history/stream/",
      "node/streams/",
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
    sources: ["src/worker", "src/worker.ts", "src/worker/plugin"],
    tests: [
      "worker/",
      "worker/plugin/",
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
  cli: {
    sources: ["src/cli", "examples/order/demo", "src/project/init"],
    tests: ["cli/", "dev/", "project/init/", "examples/"],
  },
  background: {
    sources: ["src/server/background", "src/server/backend"],
    tests: ["server/background/", "server/background", "mcp/", "live/projects"],
  },
  server: { sources: ["src/server"], tests: ["server/", "database/", "live/server-killed"] },
  project: {
    sources: ["src/project", "src/project/catalog", "catalog"],
    tests: ["project/", "project/catalog/", "cli/project/", "cli/catalog-run", "live/projects", "live/examples"],
  },
  mcp: { sources: ["src/mcp"], tests: ["mcp/", "live/mcp", "originals/mcp", "web/mcp-app"] },
  models: { sources: ["src/models"], tests: ["models/", "activities/call-model", "docs/models"] },
  tools: { sources: ["src/tools"], tests: ["tools/", "activities/call-tool", "cli/tools", "docs/tools"] },
  web: { sources: ["src/web", "src/node/http", "page"], tests: ["web/", "page/", "live/mission-control"] },
  notify: {
    sources: ["src/activities/notify"],
    tests: ["activities/notify/", "live/notifications-killed", "workflows/agent/notifications"],
  },
  encoding: {
    sources: ["src/node/encoding", "src/node/secrets"],
    tests: ["node/encoding/", "node/secrets/", "live/secrets/", "server/encryption"],
  },
  testing: { sources: ["src/testing"], tests: ["testing/", "workflows/test-kit", "mcp/"] },
  simulate: { sources: ["src/simulate"], tests: ["simulate/", "workflows/scenarios"] },
  prove: { sources: ["prove"], tests: ["prove/", "cli/prove", "live/prove/"] },
  bench: { sources: ["bench"], tests: ["bench/"] },
  docs: {
    sources: ["docs", "README.md", "CONTRIBUTING.md", "AGENTS.md", "CHANGELOG.md"],
    tests: ["docs/", "live/doc-examples", "cli/docs-workflows"],
  },
  examples: { sources: ["examples", "templates"], tests: ["examples/", "live/examples", "cli/demo", "project/init/"] },
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
