/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: "node",
  testTimeout: 60_000,
  roots: ["<rootDir>/test"],
  testMatch: ["**/*.test.ts"],
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      {
        sourceMaps: "inline",
        module: { type: "commonjs" },
        jsc: { target: "es2023", parser: { syntax: "typescript" } },
      },
    ],
  },
};
