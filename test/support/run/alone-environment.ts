import type { EnvironmentContext, JestEnvironmentConfig } from "@jest/environment";
import { TestEnvironment } from "jest-environment-node";
import { MeasuredFile } from "./measured";

/** Where a test that replaces modules runs: a context and modules of its own, as jest gives them. */
export default class AloneEnvironment extends TestEnvironment {
  private readonly measured: MeasuredFile;

  constructor(config: JestEnvironmentConfig, context: EnvironmentContext) {
    super(config, context);
    this.measured = new MeasuredFile(context.testPath);
  }

  override async teardown(): Promise<void> {
    await this.measured.end();
    await super.teardown();
  }
}
