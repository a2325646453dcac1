// deploy/kubernetes is made from the chart, so that there is one truth: npm run deploy:manifests. What a cluster may lack (an adapter
// for metrics, operators) is in files of its own.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ensureKubernetesPrograms, KUBERNETES } from "./kubernetes-programs.mjs";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const chart = path.join(root, "deploy", "helm", "navigator");
const HEAD =
  "# Made from deploy/helm/navigator by `npm run deploy:manifests`. Change the chart, or patch this with kustomize.\n";

/** File below deploy/kubernetes -> values, and the only templates that it is of. */
const FILES = {
  "navigator.yaml": { set: [] },
  "options/autoscaling.yaml": { set: ["autoscaling.by=hpa"], only: "autoscaling.yaml" },
  "options/autoscaling-keda.yaml": { set: ["autoscaling.by=keda"], only: "autoscaling.yaml" },
  "options/mcp.yaml": { set: ["mcp.enabled=true"], only: "mcp.yaml" },
  "options/monitoring.yaml": { set: ["monitoring.enabled=true"], only: "monitoring.yaml" },
  "options/network-policy.yaml": {
    set: ["networkPolicy.enabled=true", "mcp.enabled=true"],
    only: "networkpolicy.yaml",
  },
};

/** The files of deploy/kubernetes that the chart gives, with their text. Helm must be there. */
export function manifests() {
  return Object.entries(FILES).map(([file, { set, only }]) => {
    const args = ["template", "navigator", chart, "--namespace", "navigator", "--kube-version", "1.35", "--skip-tests"];
    for (const one of set) args.push("--set", one);
    if (only !== undefined) args.push("--show-only", `templates/${only}`);
    return { file, text: HEAD + execFileSync(path.join(KUBERNETES, "helm"), args, { encoding: "utf8" }) };
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  process.exitCode = await ensureKubernetesPrograms();
  if (process.exitCode === 0)
    for (const { file, text } of manifests()) {
      const target = path.join(root, "deploy", "kubernetes", file);
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(target, text);
    }
}
