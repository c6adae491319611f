import { Dialog } from '@jupyterlab/apputils';

/** So long after a dialog has opened, a click beside it belongs to the double click that opened it. */
const DOUBLE_CLICK_MS = 700;

/** Ask before something is lost; `keep` is what the other button says in place of "Cancel". */
export async function confirmLoss(
  title: string,
  body: string,
  label: string,
  keep?: string
): Promise<boolean> {
  const dialog = new Dialog({
    title,
    body,
    buttons: [Dialog.cancelButton({ label: keep }), Dialog.warnButton({ label })],
    defaultButton: 0
  });
  const until = Date.now() + DOUBLE_CLICK_MS;
  // A click beside a dialog closes it: not the second one of a double click. Before the dialog's own listener, which is
  // added when it is attached.
  dialog.node.addEventListener(
    'click',
    event => {
      const isBeside = !(event.target as Element).closest('.jp-Dialog-content');
      if (isBeside && Date.now() < until) {
        event.preventDefault();
        event.stopImmediatePropagation();
      }
    },
    true
  );
  return (await dialog.launch()).button.accept;
}
