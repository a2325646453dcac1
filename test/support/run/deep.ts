/** Whether this is `npm run test:deep`: a table or a size may be larger there. */
export const isDeep = process.env.NAVIGATOR_DEEP === "1";

// The global `test` is another one in each file, and this module is loaded once for all of them.
const its = () => (isDeep ? test : Object.assign(() => {}, { each: () => () => {} })) as jest.It;

/** A test of `npm run test:deep` alone, beside those of its file that `npm test` runs as well. Tests of whole files are in `*.deep.test.ts`. */
export const deepTest = Object.assign((...of: Parameters<jest.It>) => its()(...of), {
  each: ((...of: Parameters<jest.Each>) => its().each(...of)) as jest.Each,
}) as unknown as jest.It;
