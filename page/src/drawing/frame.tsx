import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { fileName, saveFile, standaloneSvg } from "./save-svg";
import "./drawing.css";

/** What the reader sees of a drawing: its shift in pixels, and how large it is. */
interface Sight {
  x: number;
  y: number;
  scale: number;
}

const STEP = 1.25;
const LEAST = 0.1;
const MOST = 4;
/** A small drawing is not blown up. */
const MOST_FIT = 1.1;
/** A drawing that would be smaller than this is not shown whole at first, but so large that it can be read. */
export const LEAST_READABLE = 0.55;
const READABLE = 0.8;
const MAX_HEIGHT = 560;
const MIN_HEIGHT = 160;

/**
 * A drawing that can be zoomed (buttons, wheel, the keys + - 0), moved (dragging, arrow keys) and saved as an SVG file.
 *
 * @param focus what is seen at first, if not all of the drawing can be
 * @param children SVG within `width` and `height`
 */
export function DrawingFrame({
  title,
  about,
  width,
  height,
  focus,
  children,
}: {
  title: string;
  /** What it shows now, as a sentence. */
  about: string;
  width: number;
  height: number;
  focus?: { x: number; y: number } | undefined;
  children: preact.ComponentChildren;
}) {
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const svg = useRef<SVGSVGElement>(null);
  const [space, setSpace] = useState(0);
  /** `first`: as it was opened; `all`: all of it, however large the window is. */
  const [own, setOwn] = useState<Sight | "first" | "all">("first");
  // What happens later moves nothing.
  const [firstFocus] = useState(focus);

  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    setSpace(element.clientWidth);
    const watching = new ResizeObserver(() => setSpace(element.clientWidth));
    watching.observe(element);
    return () => watching.disconnect();
  }, []);

  // The page around it can always be touched and scrolled.
  const [mostHeight] = useState(() => Math.max(MIN_HEIGHT, Math.min(MAX_HEIGHT, window.innerHeight * 0.65)));
  const wide = Math.min(MOST_FIT, space / Math.max(width, 1));
  const tall = Math.min(mostHeight, Math.max(MIN_HEIGHT, height * Math.max(wide, LEAST_READABLE)));
  const fit = fitted({ width, height }, { width: space, height: tall });
  const first =
    fit.scale >= LEAST_READABLE || space === 0
      ? fit
      : readable({ width, height }, { width: space, height: tall }, firstFocus ?? { x: 0, y: 0 });
  const sight = own === "first" ? first : own === "all" ? fit : own;
  const current = useRef(sight);
  current.current = sight;

  /** @param at stays where it is, in pixels of the frame; default: the middle */
  const zoom = (factor: number, at = { x: space / 2, y: tall / 2 }) => {
    const { x, y, scale } = current.current;
    const next = Math.min(MOST, Math.max(LEAST, scale * factor));
    const grown = next / scale;
    setOwn({ scale: next, x: at.x - (at.x - x) * grown, y: at.y - (at.y - y) * grown });
  };
  const move = (x: number, y: number) =>
    setOwn({ ...current.current, x: current.current.x + x, y: current.current.y + y });

  const keys = new Map([
    ["+", () => zoom(STEP)],
    ["=", () => zoom(STEP)],
    ["-", () => zoom(1 / STEP)],
    ["0", () => setOwn("all")],
    ["ArrowLeft", () => move(60, 0)],
    ["ArrowRight", () => move(-60, 0)],
    ["ArrowUp", () => move(0, 60)],
    ["ArrowDown", () => move(0, -60)],
  ]);

  // A separate listener: the page must not scroll while the drawing is zoomed.
  const wheel = useRef<(event: WheelEvent) => void>(() => {});
  wheel.current = (event) => {
    const element = frame.current;
    if (element === null || !(event.ctrlKey || event.metaKey || document.activeElement === element)) return;
    event.preventDefault();
    const { left, top } = element.getBoundingClientRect();
    zoom(event.deltaY < 0 ? STEP : 1 / STEP, { x: event.clientX - left, y: event.clientY - top });
  };
  useEffect(() => {
    const element = frame.current;
    const turned = (event: WheelEvent) => wheel.current(event);
    element?.addEventListener("wheel", turned, { passive: false });
    return () => element?.removeEventListener("wheel", turned);
  }, []);

  const dragged = useRef<{ x: number; y: number } | null>(null);
  return (
    <figure class="drawing">
      <div class="row drawing-tools">
        <button type="button" onClick={() => zoom(STEP)} aria-label="Zoom in">
          +
        </button>
        <button type="button" onClick={() => zoom(1 / STEP)} aria-label="Zoom out">
          −
        </button>
        <button type="button" onClick={() => setOwn("all")} disabled={sight === fit}>
          Fit
        </button>
        {focus !== undefined && sight !== fit && (
          <button
            type="button"
            onClick={() => setOwn(readable({ width, height }, { width: space, height: tall }, focus))}
          >
            Where it is
          </button>
        )}
        <button
          type="button"
          onClick={() =>
            svg.current !== null &&
            saveFile(fileName(title), standaloneSvg(svg.current, { width, height }), "image/svg+xml")
          }
        >
          Save as SVG
        </button>
        <span class="quiet" aria-live="off">
          {Math.round(sight.scale * 100)} %
        </span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms */}
      <div
        ref={frame}
        class={sight === fit ? "drawing-frame" : "drawing-frame moved"}
        style={{ height: `${tall}px` }}
        role="group"
        tabIndex={0}
        aria-label={`${title}. Keys: plus and minus zoom, 0 fits, arrows move.`}
        onKeyDown={(event) => {
          const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys.get(event.key);
          if (action === undefined) return;
          event.preventDefault();
          event.stopPropagation();
          action();
        }}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          dragged.current = { x: event.clientX, y: event.clientY };
          if (event.pointerType === "mouse") event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={(event) => {
          const from = dragged.current;
          if (from === null) return;
          dragged.current = { x: event.clientX, y: event.clientY };
          move(event.clientX - from.x, event.clientY - from.y);
        }}
        onPointerUp={() => {
          dragged.current = null;
        }}
        onPointerCancel={() => {
          dragged.current = null;
        }}
      >
        <svg
          ref={svg}
          width="100%"
          height="100%"
          role="img"
          aria-labelledby={`${id}-title ${id}-about`}
          xmlns="http://www.w3.org/2000/svg"
        >
          <title id={`${id}-title`}>{title}</title>
          <desc id={`${id}-about`}>{about}</desc>
          <g transform={`translate(${sight.x} ${sight.y}) scale(${sight.scale})`}>{children}</g>
        </svg>
      </div>
    </figure>
  );
}

/** All of the drawing, in the middle of the frame. */
function fitted(drawing: { width: number; height: number }, space: { width: number; height: number }): Sight {
  if (space.width === 0) return { x: 0, y: 0, scale: 1 };
  const scale = Math.max(
    LEAST,
    Math.min(MOST_FIT, space.width / Math.max(1, drawing.width), space.height / Math.max(1, drawing.height)),
  );
  return {
    scale,
    x: (space.width - drawing.width * scale) / 2,
    y: (space.height - drawing.height * scale) / 2,
  };
}

/** So large that it can be read, around a place of it. */
function readable(
  drawing: { width: number; height: number },
  space: { width: number; height: number },
  focus: { x: number; y: number },
): Sight {
  const scale = READABLE;
  const shift = (whole: number, seen: number, at: number) =>
    whole * scale <= seen
      ? (seen - whole * scale) / 2
      : Math.min(0, Math.max(seen - whole * scale, seen / 2 - at * scale));
  return {
    scale,
    x: shift(drawing.width, space.width, focus.x),
    y: shift(drawing.height, space.height, focus.y),
  };
}

/** A window that is as narrow as a phone's is drawn downwards. */
export const isNarrow = (): boolean => window.innerWidth < 760;
