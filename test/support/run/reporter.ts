import { existsSync, readFileSync, rmSync } from "node:fs";
import { constants } from "node:os";
import path from "node:path";
import type { AggregatedResult, Test, TestCaseResult, TestResult } from "@jest/reporters";
import { cpuSoFar, descendants } from "./cpu";
import type { FileCost } from "./measured";
import { PATIENCE_MS, Patience } from "./patience";
import { costsFile, readTestServer, runFolder } from "./run-folder";

const root = path.join(__dirname, "../../..");
const nameOf = (file: string) => path.relative(root, file).split(path.sep).join("/");
const isDeep = process.env.NAVIGATOR_DEEP === "1";
const say = (text: string) => void process.stderr.write(`${text}\n`);

/** Single tests of the deep run take minutes. */
const HANG_MS = isDeep ? 10 * PATIENCE_MS : PATIENCE_MS;
/** How many files the summary names. */
const NAMED = 10;
/** How long jest may take to end after the summary. */
const ENDING_MS = 20_000;

/**
 * Ends a run in which nothing happens any more, and says at the end what a run took: seconds of CPU, the most expensive files, what
 * was skipped, what was left open, the seed of a deep run.
 */
export class RunReporter {
  private readonly began = Date.now();
  private readonly running = new Map<string, { since: number; test: string }>();
  private readonly patience = new Patience(HANG_MS);
  private readonly watch = setInterval(() => this.look(), 1_000);

  constructor(private readonly globalConfig: { watch: boolean; watchAll: boolean; testNamePattern?: string }) {
    this.watch.unref();
    // A signal ends jest alone: its workers and the Temporal server would stay.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
      process.once(signal, () => {
        killDescendants();
        rmSync(runFolder(), { recursive: true, force: true });
        process.exit(128 + constants.signals[signal]);
      });
    rmSync(costsFile(), { force: true });
  }

  onRunStart(): void {
    if (isDeep) say(`Seed of this run's generated cases: NAVIGATOR_SEED=${process.env.NAVIGATOR_SEED}`);
  }

  onTestFileStart({ path: file }: Test): void {
    this.progress(file, "its beginning");
  }

  onTestCaseStart({ path: file }: Test, { fullName }: { fullName: string }): void {
    this.progress(file, fullName);
  }

  onTestCaseResult({ path: file }: Test, { fullName }: TestCaseResult): void {
    this.progress(file, `after: ${fullName}`);
  }

  onTestFileResult({ path: file }: Test): void {
    this.running.delete(file);
    this.patience.renew();
  }

  onRunComplete(_tests: unknown, results: AggregatedResult): void {
    clearInterval(this.watch);
    const costs = readCosts();
    // After the summary of jest.
    if (costs.length > 1 || isDeep) setImmediate(() => this.summary(costs, results));
    if (!this.globalConfig.watch && !this.globalConfig.watchAll) endSoon();
  }

  private progress(file: string, test: string): void {
    this.running.set(file, { since: Date.now(), test });
    this.patience.renew();
  }

  private look(): void {
    // Before the first test, jest builds and looks for files; a server may have to be built.
    if (this.running.size === 0 || isPreparing()) return this.patience.renew();
    if (this.globalConfig.watch || this.globalConfig.watchAll || !this.patience.isOver()) return;
    say(
      `\nNothing has happened for ${this.patience.limitMs / 1_000} s (of a machine that is not busy): the run hangs. What runs:`,
    );
    for (const [file, { since, test }] of this.running)
      say(`  ${nameOf(file)}: ${test} (${Math.round((Date.now() - since) / 1_000)} s)`);
    const processes = descendants();
    if (processes.length > 0) say("Its processes:");
    for (const { pid, own, command } of processes) say(`  ${pid} ${own.toFixed(1)} s of CPU  ${command.slice(0, 150)}`);
    killDescendants();
    process.exit(1);
  }

  private summary(costs: FileCost[], { testResults }: AggregatedResult): void {
    const total = totalCpu();
    say("");
    if (total !== undefined)
      say(`${Math.round(total.all).toLocaleString("en")} s of CPU (${total.parts}), ${this.seconds()} s on the clock.`);
    say(`The most expensive of ${costs.length} files, in seconds of CPU with the processes that they started:`);
    for (const { file, cpu, wall } of costs.toSorted((a, b) => b.cpu - a.cpu).slice(0, NAMED))
      say(`${cpu.toFixed(1).padStart(7)}  ${nameOf(file)} (${wall.toFixed(0)} s on the clock)`);
    const left = costs.filter(({ open }) => open.length > 0);
    if (left.length > 0) say(`Files whose handles stayed open:`);
    for (const { file, open } of left) say(`  ${nameOf(file)}: ${open.join(", ")}`);
    if (this.globalConfig.testNamePattern === undefined || this.globalConfig.testNamePattern === "")
      sayWhatWasSkipped(testResults);
    if (isDeep) say(`Repeat these generated cases with NAVIGATOR_SEED=${process.env.NAVIGATOR_SEED}.`);
  }

  private seconds = (): string => Math.round((Date.now() - this.began) / 1_000).toLocaleString("en");
}

/** A test that did not run is not passed: each is named with its reason, the title of its group. */
function sayWhatWasSkipped(results: readonly TestResult[]): void {
  const groups = new Map<string, number>();
  for (const { testFilePath, testResults } of results)
    for (const { status, ancestorTitles, title } of testResults) {
      if (status !== "pending" && status !== "disabled" && status !== "todo") continue;
      const group = `${nameOf(testFilePath)}: ${ancestorTitles.join(" ") || title}`;
      groups.set(group, (groups.get(group) ?? 0) + 1);
    }
  for (const [group, count] of groups) say(`SKIPPED ${count} of ${group}`);
}

/** Its program may have to be built, which takes Go minutes. */
const isPreparing = () => process.env.NAVIGATOR_TEST_SERVER === "preparing" && readTestServer() === undefined;

/** This process, its processes that have ended, those that still live (the Temporal server), and the checks before the tests. */
function totalCpu(): { all: number; parts: string } | undefined {
  const living = descendants();
  if (!existsSync("/proc/self/stat")) return undefined;
  const server = living.filter(({ command }) => command.includes("server start-dev"));
  const sum = (of: { own: number; ended: number }[]) => of.reduce((all, { own, ended }) => all + own + ended, 0);
  const before = Number(process.env.NAVIGATOR_CPU_BEFORE ?? 0);
  const all = before + cpuSoFar() + sum(living);
  const parts = [
    `Temporal server ${sum(server).toFixed(0)}`,
    ...(before > 0 ? [`build, types and lint ${before.toFixed(0)}`] : []),
  ];
  return { all, parts: parts.join(", ") };
}

function readCosts(): FileCost[] {
  if (!existsSync(costsFile())) return [];
  const lines = readFileSync(costsFile(), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as FileCost);
}

/** Those that were started last end first. */
function killDescendants(): void {
  for (const { pid } of descendants().reverse())
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
}

/** Something in jest's own process may stay open: that is a fault, too, and no reason to wait for ever. */
function endSoon(): void {
  const ending = setTimeout(() => {
    say(`Jest did not end in ${ENDING_MS / 1_000} s. Open: ${process.getActiveResourcesInfo().join(", ")}`);
    process.exit(1);
  }, ENDING_MS);
  ending.unref();
  process.once("exit", () => rmSync(runFolder(), { recursive: true, force: true }));
}
