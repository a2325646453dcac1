import type { EnvironmentContext, JestEnvironmentConfig } from "@jest/environment";
import { ModernFakeTimers } from "@jest/fake-timers";
import { ModuleMocker } from "jest-mock";
import { MeasuredFile, serverEnvironment } from "./measured";

/**
 * Where a test file runs: the realm of the worker itself, with the modules that earlier files have loaded (shared-runtime.cjs), and this
 * run's Temporal server where the file's project has one. What a file changes in the process is changed back at its end.
 */
export default class SharedEnvironment {
  readonly global = globalThis;
  readonly moduleMocker = new ModuleMocker(globalThis);
  readonly fakeTimersModern: ModernFakeTimers;
  readonly fakeTimers = null;
  private readonly measured: MeasuredFile;
  private readonly server: boolean;
  private readonly before = {
    console,
    exit: process.exit,
    exitCode: process.exitCode,
    folder: process.cwd(),
    argv: [...process.argv],
    env: { ...process.env },
  };

  constructor({ projectConfig }: JestEnvironmentConfig, { testPath }: EnvironmentContext) {
    this.measured = new MeasuredFile(testPath);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    this.server = projectConfig.testEnvironmentOptions.server === true;
  }

  async setup(): Promise<void> {
    if (this.server) Object.assign(process.env, await serverEnvironment());
  }

  async teardown(): Promise<void> {
    this.fakeTimersModern.dispose();
    await this.measured.end();
    const { env, folder, argv, ...rest } = this.before;
    globalThis.console = rest.console;
    process.exit = rest.exit;
    process.exitCode = rest.exitCode;
    if (process.cwd() !== folder) process.chdir(folder);
    process.argv.splice(0, Number.POSITIVE_INFINITY, ...argv);
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
  }

  exportConditions(): string[] {
    return ["node", "node-addons"];
  }

  getVmContext(): null {
    return null;
  }
}
