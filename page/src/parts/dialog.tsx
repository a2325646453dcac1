import { useEffect, useRef } from "preact/hooks";

/** A dialog over the page. Escape closes it. */
export function Dialog({
  title,
  close,
  children,
}: {
  title: string;
  close: () => void;
  children: preact.ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const one = dialog.current;
    if (one !== null && !one.open) one.showModal();
    return () => one?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
    >
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
}

/** Asks before something that cannot be taken back. */
export function Confirm({
  title,
  text,
  action,
  leave = "Leave it as it is",
  isBusy = false,
  confirm,
  close,
}: {
  title: string;
  text: preact.ComponentChildren;
  /** The label of the button: "Cancel 3 missions". */
  action: string;
  /** The label of the button that does nothing. */
  leave?: string;
  isBusy?: boolean;
  confirm: () => void;
  close: () => void;
}) {
  return (
    <Dialog title={title} close={close}>
      <div>{text}</div>
      <div class="row">
        <button type="button" class="danger" disabled={isBusy} onClick={confirm}>
          {isBusy ? "Working …" : action}
        </button>
        <button type="button" onClick={close} autofocus>
          {leave}
        </button>
      </div>
    </Dialog>
  );
}
