/** Whether this is `npm run test:deep`: a table or a size may be larger there. */
export const isDeep = process.env.NAVIGATOR_DEEP === "1";
const nothing = Object.assign(() => {}, { each: () => () => {} });

/** A test of `npm run test:deep` alone, beside those of its file that `npm test` runs as well. Tests of whole files are in `*.deep.test.ts`. */
export const deepTest = (isDeep ? test : nothing) as jest.It;
