import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stringify } from "yaml";
import { loadConfig } from "../../src/node/settings";
import type { Episode } from "./alert-windows";

const LOOK_MS = 500;

/** A real Prometheus with the alert rules, which scrapes every two seconds. */
export class Prometheus {
  readonly episodes: Episode[] = [];
  private looking = true;
  private looked: Promise<void> = Promise.resolve();
  private readonly targets = new Map<string, string>();

  private constructor(
    private readonly folder: string,
    private readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  /** @param token of Mission Control */
  static async start(
    folder: string,
    { rules, token, web, port }: { rules: string; token: string; web: string; port: number },
  ): Promise<Prometheus> {
    mkdirSync(folder, { recursive: true });
    const file = (name: string, text: string) => writeFileSync(path.join(folder, name), text, { mode: 0o600 });
    file("alerts.yml", rules);
    file("workers.json", "[]");
    file("token", token);
    file(
      "prometheus.yml",
      stringify({
        global: { scrape_interval: "2s", scrape_timeout: "2s", evaluation_interval: "2s" },
        rule_files: ["alerts.yml"],
        scrape_configs: [
          { job_name: "navigator-workers", file_sd_configs: [{ files: ["workers.json"], refresh_interval: "1s" }] },
          {
            job_name: "navigator-mission-control",
            // It waits up to 8 s for a server that does not answer.
            scrape_interval: "10s",
            scrape_timeout: "10s",
            authorization: { credentials_file: "token" },
            static_configs: [{ targets: [web] }],
          },
        ],
      }),
    );
    const args = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`, "--log.level=warn"];
    const child = spawn(program(), [...args, `--web.listen-address=127.0.0.1:${port}`], { stdio: "ignore" });
    const prometheus = new Prometheus(folder, `http://127.0.0.1:${port}`, child);
    prometheus.looked = prometheus.watch();
    return prometheus;
  }

  /** A worker is there, or is to be there no more: its address, by its name. */
  setTarget(name: string, address: string | null): void {
    if (address === null) this.targets.delete(name);
    else this.targets.set(name, address);
    const file = path.join(this.folder, "workers.json");
    writeFileSync(`${file}.new`, JSON.stringify([{ targets: [...this.targets.values()] }]));
    renameSync(`${file}.new`, file);
  }

  /** The alerts that fire now. */
  firing(): string[] {
    return this.episodes.filter(({ to }) => to === null).map(({ alert }) => alert);
  }

  /** Whether a condition came about in time. */
  async until(isSo: () => boolean, limitMs: number): Promise<boolean> {
    for (const end = Date.now() + limitMs; Date.now() < end; await sleep(LOOK_MS)) if (isSo()) return true;
    return isSo();
  }

  async stop(): Promise<void> {
    this.looking = false;
    await this.looked;
    const ended = once(this.child, "exit");
    this.child.kill("SIGTERM");
    await ended;
  }

  private async watch(): Promise<void> {
    for (; this.looking; await sleep(LOOK_MS)) {
      const firing = await this.ask();
      if (firing === null) continue;
      for (const one of this.episodes) if (one.to === null && !firing.has(one.alert)) one.to = Date.now();
      const open = new Set(this.firing());
      for (const alert of firing) if (!open.has(alert)) this.episodes.push({ alert, from: Date.now(), to: null });
    }
  }

  /** null: Prometheus itself does not answer yet. */
  private async ask(): Promise<Set<string> | null> {
    try {
      const answer = await fetch(`${this.url}/api/v1/alerts`);
      const { data } = (await answer.json()) as {
        data: { alerts: { state: string; labels: { alertname: string } }[] };
      };
      return new Set(data.alerts.filter(({ state }) => state === "firing").map(({ labels }) => labels.alertname));
    } catch {
      return null;
    }
  }
}

function program(): string {
  const folders = [...(process.env.PATH ?? "").split(path.delimiter), `${loadConfig().cache}/prometheus/usr/bin`];
  const found = folders.map((folder) => path.join(folder, "prometheus")).find(existsSync);
  if (found === undefined) throw new Error("There is no prometheus here: node scripts/test-programs.mjs");
  return found;
}
