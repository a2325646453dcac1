import path from "node:path";

/** `src/node/sdk-internals/workflow-bundle` for tests (jest.config.cjs): a worker of the sources takes the workflows from the build, as a built one does. */
export * from "../../src/node/sdk-internals/workflow-bundle";
export const BUNDLE_FILE = path.join(__dirname, "../../dist/workflow-bundle.js");
