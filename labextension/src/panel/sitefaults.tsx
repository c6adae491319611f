import type { IClusterManager } from '../clusters/tokens';
import { Fragment, h, useEffect, useState } from '../jsx';
import type { SiteFaults } from '../protocol/messages';
import { trans } from '../translation';

interface ISiteFaultsProps {
  readonly manager: IClusterManager;
  /** Changes whenever it is time to look again. */
  readonly shown: number;
}

/** The site's message of the day, and what is wrong with its file: for who can fix it a line that unfolds. */
export function SiteFaultsLine({ manager, shown }: ISiteFaultsProps): JSX.Element | null {
  const [site, setSite] = useState<SiteFaults | null>(null);
  const look = (): void => {
    // Where the server does not respond, the list says so.
    manager.site().then(setSite, () => undefined);
  };
  useEffect(look, [manager, shown]);
  const message = site?.message ? <p className="gpc-Hint">{site.message}</p> : null;
  const faults = site?.faults ?? [];
  if (faults.length > 0) {
    return (
      <>
        {message}
        <details className="gpc-Details gpc-SiteFaults" onToggle={look}>
          <summary>
            {trans._n('%1 error in the site’s file', '%1 errors in the site’s file', faults.length)}
          </summary>
          <ul>
            {faults.map(fault => (
              <li key={fault}>{fault}</li>
            ))}
          </ul>
        </details>
      </>
    );
  }
  return (
    <>
      {message}
      {site?.notice ? <p className="gpc-Hint gpc-SiteFaults">{site.notice}</p> : null}
    </>
  );
}
