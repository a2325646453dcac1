import vm from "node:vm";

/**
 * Loaded into every thread of a worker process that measures inside of workflows (`node -r`): their sandbox gets a clock
 * that goes on while workflow code runs. Nothing of it is in the workers that are compared elsewhere.
 */
const createContext = vm.createContext;
vm.createContext = ((object?: vm.Context, options?: vm.CreateContextOptions) => {
  const context = createContext(object, options);
  Object.defineProperty(context, "benchClock", { value: () => performance.now() });
  return context;
}) as typeof vm.createContext;
