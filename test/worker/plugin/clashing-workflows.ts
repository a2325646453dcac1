/** Workflows of an application. One has the name of Navigator's, and the module uses clock, chance and timers while it loads. */
setTimeout(() => {}, Date.now() * Math.random());

export const agentRun = async (): Promise<string> => "theirs";
