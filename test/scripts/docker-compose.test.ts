import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { SEARCH_ATTRIBUTES, TYPE_WORDS } from "../../src/core/base/search-attributes";
import { DYNAMIC_CONFIG } from "../../src/server/flags";

/** docker-compose.yml without Docker: what a mistake in it could break is checked as data. */

const root = path.join(__dirname, "../..");
const read = (file: string) => readFileSync(path.join(root, file), "utf8");

interface Service {
  image?: string;
  build?: { context: string; dockerfile: string };
  depends_on?: Record<string, { condition: string }>;
  environment?: Record<string, string>;
  healthcheck?: { test: string[] };
  volumes?: string[];
  ports?: string[];
  entrypoint?: string[];
  restart?: string;
}
const compose = parse(read("docker-compose.yml")) as { services: Record<string, Service>; volumes: object };
const services = Object.entries(compose.services);

const IMAGE = /^(postgres|temporalio\/(server|admin-tools|ui)):\$\{[A-Z_]+:-\d[\w.-]*\}$|^navigator-worker$/;

test.each(services)("%s has a known image with a pinned version", (_, service) => {
  expect(service.image).toMatch(IMAGE);
});

test.each(services)("the dependencies of %s exist and can be met", (_, service) => {
  for (const [name, { condition }] of Object.entries(service.depends_on ?? {})) {
    const other = compose.services[name];
    expect(other).toBeDefined();
    if (condition === "service_healthy") expect(other!.healthcheck?.test[0]).toMatch(/^CMD(-SHELL)?$/);
    else {
      expect(condition).toBe("service_completed_successfully");
      // A job that is restarted after it succeeded never completes.
      expect(other!.restart).toMatch(/^on-failure/);
    }
  }
});

test.each(services)("the files and volumes that %s mounts exist", (_, service) => {
  for (const volume of service.volumes ?? []) {
    const source = volume.replace(/^\$\{\w+:-([^}]*)\}/, "$1").split(":")[0]!;
    if (source.startsWith(".")) expect(existsSync(path.join(root, source))).toBe(true);
    else expect(Object.keys(compose.volumes)).toContain(source);
  }
  for (const script of service.entrypoint?.slice(1) ?? [])
    expect(existsSync(path.join(root, script.replace(/^\/navigator\//, "docker/")))).toBe(true);
});

test("other machines can reach nothing, and no port is used twice", () => {
  const ports = services.flatMap(([, service]) => service.ports ?? []);
  for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  expect(new Set(ports.map((port) => port.split(":")[1])).size).toBe(ports.length);
});

test("worker, jobs and Web UI reach the server by its service name and port", () => {
  const addresses = services.flatMap(([, { environment }]) => environment?.TEMPORAL_ADDRESS ?? []);
  expect(addresses).toEqual(["temporal:7233", "temporal:7233", "temporal:7233"]);
});

test("the cluster gets the dynamic configuration of the embedded server", () => {
  const cluster = parse(read("docker/dynamicconfig.yaml")) as Record<string, { value: unknown }[]>;
  expect(Object.fromEntries(Object.entries(cluster).map(([key, [entry]]) => [key, entry?.value]))).toEqual(
    DYNAMIC_CONFIG,
  );
  const file = compose.services.temporal?.environment?.DYNAMIC_CONFIG_FILE_PATH;
  expect(existsSync(path.join(root, file!.replace(/^\/navigator\//, "docker/")))).toBe(true);
});

test("the namespace job creates all search attributes with their types", () => {
  const created = Object.fromEntries(
    [...read("docker/setup-namespace.sh").matchAll(/(Navigator\w+)=(\w+)/g)].map((match) => [match[1], match[2]]),
  );
  const wanted = Object.entries(SEARCH_ATTRIBUTES).map(([name, type]) => [name, TYPE_WORDS[type]]);
  expect(created).toEqual(Object.fromEntries(wanted));
});

test.each(["docker/setup-schema.sh", "docker/setup-namespace.sh"])("%s is correct shell syntax", (script) => {
  execFileSync("sh", ["-n", path.join(root, script)]);
});

test("every path that the Dockerfile copies from the repository exists", () => {
  const { dockerfile } = compose.services.worker!.build!;
  const copied = [...read(dockerfile).matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap((match) => match[1]!.split(" "));
  expect(copied.length).toBeGreaterThan(4);
  expect(copied.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
});

test("the image has the catalog and the pages that messages name, and not only in its first stage", () => {
  const last = read("docker/Dockerfile")
    .split(/^FROM /m)
    .at(-1)!;
  for (const folder of ["catalog", "docs"]) expect(last).toContain(`COPY ${folder} ./${folder}`);
});

test("what a worker writes goes to a volume of the image's user, for the project is mounted read-only", () => {
  const { environment, volumes } = compose.services.worker!;
  const home = environment?.NAVIGATOR_HOME;
  expect(volumes).toContainEqual(expect.stringMatching(/:\/project:ro$/));
  expect(volumes).toContainEqual(`worker-data:${home}`);
  const dockerfile = read("docker/Dockerfile");
  // A new volume has the owner of the folder in the image.
  expect(dockerfile).toContain(`chown node:node ${home}\n`);
  expect(dockerfile.indexOf("USER node")).toBeGreaterThan(dockerfile.indexOf(`chown node:node ${home}`));
  expect(dockerfile).toContain(`ENV NAVIGATOR_HOME=${home}\n`);
});

test("the health of the worker is asked of the worker itself, at the port that its command serves", () => {
  const dockerfile = read("docker/Dockerfile");
  const [command, check] = ["CMD", "HEALTHCHECK[^[]*CMD"].map(
    (word) => JSON.parse(new RegExp(`^${word} (\\[.*\\])$`, "m").exec(dockerfile)![1]!) as string[],
  );
  expect(command!.slice(0, 2)).toEqual(["worker", "--health-port"]);
  expect(check!.join(" ")).toContain(`http://127.0.0.1:${command![2]}/readyz`);
  // Nobody answers there: the container is not healthy.
  const program = check!.at(-1)!.replace(command![2]!, "1");
  expect(() => execFileSync(process.execPath, ["-e", program], { stdio: "ignore" })).toThrow();
  // Compose takes both from the image.
  expect(compose.services.worker).not.toHaveProperty("healthcheck");
  expect(compose.services.worker).not.toHaveProperty("command");
});

test("the image says in labels what it is, from where and under which licence", () => {
  const { license } = JSON.parse(read("package.json"));
  const last =
    read("docker/Dockerfile")
      .split(/^FROM .*$/m)
      .at(-1) ?? "";
  for (const label of ["title", "description", "source", "version", "revision"])
    expect(last).toContain(`org.opencontainers.image.${label}="`);
  expect(last).toContain(`org.opencontainers.image.licenses="${license}"`);
  const release = read(".github/workflows/release.yml");
  for (const argument of ["VERSION", "REVISION", "SOURCE"]) {
    expect(last).toContain(`ARG ${argument}=`);
    expect(release).toContain(`--build-arg ${argument}=`);
  }
});
