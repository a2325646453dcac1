import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { cliHere } from "../support/cli";
import { temporaryFolder } from "../support/environment";

/** The Helm chart and what is made from it, with the real helm, kubectl and kubeconform (scripts/kubernetes-programs.mjs). */

const root = path.join(__dirname, "../..");
const chart = path.join(root, "deploy/helm/navigator");
const read = (file: string) => readFileSync(path.join(root, file), "utf8");
/** What a module of scripts/ gives, as JSON. */
const fromScript = (name: string, expression: string) =>
  JSON.parse(
    execFileSync(
      process.execPath,
      [
        "--input-type=module",
        "-e",
        `import * as it from ${JSON.stringify(path.join(root, "scripts", name))}; console.log(JSON.stringify(${expression}))`,
      ],
      { encoding: "utf8" },
    ),
  );
const programs: string = fromScript("kubernetes-programs.mjs", "it.KUBERNETES");

// biome-ignore lint/suspicious/noExplicitAny: manifests of every kind
type Manifest = any;
const documents = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map((one) => one.toJS())
    .filter(Boolean);

function template(values: object = {}): { status: number | null; text: string; problem: string } {
  const args = ["template", "shop", chart, "--namespace", "agents", "--kube-version", "1.35", "-f", "-"];
  const { status, stdout, stderr } = spawnSync(path.join(programs, "helm"), args, {
    input: JSON.stringify(values),
    encoding: "utf8",
  });
  return { status, text: stdout, problem: stderr };
}
function manifestsOf(values?: object): Manifest[] {
  const { status, text, problem } = template(values);
  if (status !== 0) throw new Error(problem);
  return documents(text);
}
/** Everything that the chart has, switched on. */
const ALL = {
  image: { repository: "registry.example.com/navigator-agents", tag: "1.2.3" },
  imagePullSecrets: [{ name: "registry" }],
  temporal: { address: "orders.tmprl.cloud:7233", namespace: "orders", tlsSecret: "temporal-tls" },
  project: {
    name: "shop",
    files: { "navigator.config.mjs": "export default {};", "agents/charge.yaml": "prompt: Charge.\n" },
  },
  env: { NAVIGATOR_MODEL: "anthropic/claude-sonnet-4-5" },
  worker: { drainSeconds: 120, podAnnotations: { team: "orders" }, nodeSelector: { disk: "ssd" } },
  autoscaling: { by: "hpa" },
  web: {
    publicUrl: "https://missions.example.com",
    ingress: { enabled: true, className: "nginx", tlsSecret: "web-tls" },
  },
  mcp: { enabled: true, allowHosts: ["mcp.example.com"] },
  monitoring: { enabled: true, labels: { release: "prometheus" } },
  networkPolicy: { enabled: true },
};
/** Kinds of operators, whose schemas Kubernetes does not have. */
const OF_OPERATORS = ["PodMonitor", "ServiceMonitor", "ScaledObject"];

function conform(text: string) {
  const schemas = `${programs}/schemas/{{.ResourceKind}}{{.KindSuffix}}.json`;
  const args = ["-strict", "-output", "json", "-summary", "-skip", OF_OPERATORS.join(), "-schema-location", schemas];
  return JSON.parse(spawnSync(path.join(programs, "kubeconform"), args, { input: text, encoding: "utf8" }).stdout);
}
const found = (all: Manifest[], kind: string, end = ""): Manifest =>
  all.find((one) => one.kind === kind && one.metadata.name.endsWith(end));

test("the chart has the version of the package", () => {
  const { version } = JSON.parse(read("package.json"));
  expect(parse(read("deploy/helm/navigator/Chart.yaml"))).toMatchObject({ version, appVersion: version });
});

test("deploy/kubernetes is what the chart gives", () => {
  const made: { file: string; text: string }[] = fromScript("deploy-manifests.mjs", "it.manifests()");
  for (const { file, text } of made) expect([file, read(`deploy/kubernetes/${file}`)]).toEqual([file, text]);
  const names = [
    ...readdirSync(path.join(root, "deploy/kubernetes/options")).map((name) => `options/${name}`),
    "navigator.yaml",
  ];
  expect(made.map(({ file }) => file).sort()).toEqual(names.sort());
});

test("kustomize builds deploy/kubernetes, with each option", () => {
  const folder = temporaryFolder("kustomize");
  execFileSync("cp", ["-r", path.join(root, "deploy/kubernetes"), folder.path]);
  const file = path.join(folder.path, "kubernetes/kustomization.yaml");
  writeFileSync(
    file,
    readFileSync(file, "utf8")
      .replaceAll("  # - options/", "  - options/")
      .replace("  - options/autoscaling-keda.yaml\n", ""),
  );
  const text = execFileSync(path.join(programs, "kubectl"), ["kustomize", path.dirname(file)], { encoding: "utf8" });
  folder.remove();
  expect(conform(text).summary).toMatchObject({ invalid: 0, errors: 0, skipped: 2 });
  expect(
    documents(text).every(({ kind, metadata }) => kind === "Namespace" || metadata.namespace === "navigator"),
  ).toBe(true);
});

test.each([
  ["the defaults", {}],
  ["everything", ALL],
  ["KEDA, and no page", { autoscaling: { by: "keda" }, web: { enabled: false } }],
])("Kubernetes takes the manifests of %s", (_, values) => {
  const { status, text, problem } = template(values);
  expect({ status, problem }).toEqual({ status: 0, problem: "" });
  const report = conform(text);
  expect(report.resources).toEqual([]);
  expect(report.summary).toMatchObject({ invalid: 0, errors: 0 });
});

test("the check of manifests is strict: an unknown field is found", () => {
  const wrong = template().text.replace("readinessProbe:", "readynessProbe:");
  expect(conform(wrong).summary).toMatchObject({ invalid: 1 });
});

test.each([
  { values: { worker: { drainSeconds: "60" } }, told: /worker.drainSeconds|\/worker\/drainSeconds/ },
  { values: { worker: { replica: 3 } }, told: /replica/ },
  { values: { temporal: { address: "https://temporal" } }, told: /address/ },
  { values: { project: { name: "My Shop" } }, told: /name/ },
  { values: { project: { files: { "../x": "" } } }, told: /files|\.\.\/x/ },
  { values: { autoscaling: { by: "cpu" } }, told: /by/ },
  { values: { web: { ingress: { enabled: true } } }, told: /web\.ingress needs web\.publicUrl/ },
])("the chart refuses $values", ({ values, told }) => {
  const { status, problem } = template(values);
  expect(status).toBe(1);
  expect(problem).toMatch(told);
});

test("all commands of the chart and their options are ones that the CLI has", async () => {
  const containers = manifestsOf(ALL).flatMap(({ spec }) => spec?.template?.spec?.containers ?? spec?.containers ?? []);
  expect(containers.map(({ name }: Manifest) => name).sort()).toEqual(["doctor", "mcp", "web", "worker"]);
  for (const { args } of containers) {
    const { stdout } = await cliHere([args[0], "--help"]);
    for (const option of args.filter((one: string) => one.startsWith("--"))) expect(stdout).toContain(`${option} `);
  }
});

test("the MCP server starts no worker beside those of the chart", () => {
  expect(found(manifestsOf(ALL), "Deployment", "-mcp").spec.template.spec.containers[0].args).toContain(
    "--no-embedded",
  );
});

test("keys of services come from a secret that stays, and only root and the group of the pod may read them", () => {
  const values = { ...ALL, serviceKeysSecret: "navigator-services" };
  for (const end of ["-worker", "-web", "-mcp"]) {
    const pod = found(manifestsOf(values), "Deployment", end).spec.template.spec;
    expect(pod.containers[0].volumeMounts).toContainEqual({
      ...{ name: "service-keys", mountPath: "/identity/services", readOnly: true },
    });
    // Octal for Kubernetes, which reads YAML 1.1.
    expect(pod.volumes).toContainEqual({
      name: "service-keys",
      secret: { secretName: "navigator-services", defaultMode: 440 },
    });
    expect(
      found(manifestsOf(ALL), "Deployment", end).spec.template.spec.volumes.map(({ name }: Manifest) => name),
    ).not.toContain("service-keys");
  }
});

test("monitors give the jobs the names that the alert rules ask for", () => {
  const all = manifestsOf(ALL);
  const endpoints = [
    ...found(all, "PodMonitor").spec.podMetricsEndpoints,
    ...found(all, "ServiceMonitor").spec.endpoints,
  ];
  const jobs = endpoints.flatMap(({ relabelings }) =>
    relabelings.map((one: Manifest) => [one.targetLabel, one.replacement]),
  );
  const asked = new Set(read("deploy/prometheus/alerts.yml").match(/job="[^"]+"/g));
  expect(new Set(jobs.map(([label, name]) => `${label}="${name}"`))).toEqual(asked);
});

test("workers: probes ask the worker, pods have time to drain, and nothing is writable but /tmp and the identity", () => {
  const { spec } = found(manifestsOf(ALL), "Deployment", "-worker");
  expect(spec.replicas).toBeUndefined();
  const pod = spec.template.spec;
  const [worker] = pod.containers;
  const drain = Number(worker.args[worker.args.indexOf("--drain-seconds") + 1]);
  expect(pod.terminationGracePeriodSeconds).toBe(drain + 15);
  expect(worker).toMatchObject({
    image: "registry.example.com/navigator-agents:1.2.3",
    readinessProbe: { httpGet: { path: "/readyz", port: "health" } },
    livenessProbe: { httpGet: { path: "/healthz", port: "health" } },
    securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
  });
  expect(pod.securityContext).toMatchObject({ runAsNonRoot: true });
  const writable = worker.volumeMounts.filter(({ readOnly }: Manifest) => !readOnly);
  expect(writable.map(({ mountPath }: Manifest) => mountPath)).toEqual(["/tmp", "/identity"]);
  // Files of folders of the project, as a ConfigMap can have them.
  const { items } = pod.volumes.find(({ name }: Manifest) => name === "project").configMap;
  expect(items).toContainEqual({ key: "agents__charge.yaml", path: "agents/charge.yaml" });
});

test("a change of the project's files begins pods anew; the same files do not", () => {
  const hash = (text: string) =>
    found(manifestsOf({ project: { files: { "a.yaml": text } } }), "Deployment", "-worker").spec.template.metadata
      .annotations;
  expect(hash("one")).toEqual(hash("one"));
  expect(hash("one")).not.toEqual(hash("two"));
});

test("workers are scaled by the backlog of their own task queue, as /metrics names it", () => {
  const { spec } = found(manifestsOf(ALL), "HorizontalPodAutoscaler");
  expect(spec.metrics.map(({ external }: Manifest) => external.metric)).toEqual(
    ["workflow", "activity"].map((type) => ({
      name: "navigator_task_queue_backlog",
      selector: { matchLabels: { task_queue: "navigator-shop", type } },
    })),
  );
  expect(read("src/web/monitoring/server-metrics.ts")).toContain('"navigator_task_queue_backlog"');
  const [trigger] = found(manifestsOf({ ...ALL, autoscaling: { by: "keda" } }), "ScaledObject").spec.triggers;
  expect(trigger).toMatchObject({
    type: "temporal",
    metadata: { endpoint: "orders.tmprl.cloud:7233", namespace: "orders", taskQueue: "navigator-shop" },
  });
});
