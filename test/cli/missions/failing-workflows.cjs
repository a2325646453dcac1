// The workflow of a version with a mistake: each of its tasks fails.
exports.agentRun = async () => {
  throw new Error("a mistake in the code of this version");
};
