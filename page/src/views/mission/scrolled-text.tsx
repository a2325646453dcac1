/** A text of several lines, which can be scrolled by keyboard as well. */
export const ScrolledText = ({
  children,
  label,
  ...more
}: {
  children: preact.ComponentChildren;
  label: string;
  class?: string;
  "data-stream"?: string;
}) => (
  // biome-ignore lint/a11y/useSemanticElements: a text that keeps its line breaks
  <pre {...more} class={`code ${more.class ?? ""}`} tabIndex={0} role="region" aria-label={label}>
    {children}
  </pre>
);
