import { InputDialog } from '@jupyterlab/apputils';

import type { IClusterManager } from '../clusters/tokens';
import { Fragment, h } from '../jsx';
import type { IAsking } from '../panel/asking';
import { trans } from '../translation';

interface IToolsProps {
  /** Whose clusters; null: those of everybody else. */
  readonly user: string | null;
  readonly manager: IClusterManager;
  readonly asking: IAsking;
}

/** What an instructor may do with a learner's clusters. */
export function InstructorTools({ user, manager, asking }: IToolsProps): JSX.Element {
  const button = (label: string, title: string, request: () => Promise<void>): JSX.Element => (
    <button
      type="button"
      className="gpc-LinkButton"
      title={title}
      aria-label={title}
      onClick={() => void asking.run(title, request)}
    >
      {label}
    </button>
  );
  const whom = user ?? trans.__('everyone');
  return (
    <>
      {button(trans.__('Message…'), trans.__('Message %1…', whom), () =>
        message(user, whom, manager)
      )}
      {user !== null &&
        button(trans.__('Stop…'), trans.__('Stop the clusters of %1…', user), () =>
          stop(user, manager)
        )}
    </>
  );
}

async function message(user: string | null, whom: string, manager: IClusterManager): Promise<void> {
  const { value } = await InputDialog.getText({
    title: trans.__('Message %1', whom),
    label: trans.__(
      'Shown on the cards of their clusters, with your name. At most 500 characters.'
    ),
    okLabel: trans.__('Send')
  });
  if (value?.trim()) {
    await manager.instruct('message', { user, text: value });
  }
}

async function stop(user: string, manager: IClusterManager): Promise<void> {
  const { button, value } = await InputDialog.getText({
    title: trans.__('Stop all clusters of %1?', user),
    label: trans.__('Their results will be lost. Reason, shown to %1:', user),
    okLabel: trans.__('Stop')
  });
  if (button.accept) {
    await manager.instruct('stop', { user, reason: value ?? '' });
  }
}
