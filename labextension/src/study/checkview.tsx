import { h } from '../jsx';
import { Findings } from './findings';
import { HelpButtons } from './helpbuttons';
import type { ICheckPayload } from './payload';
import { Sentence } from './outputcontext';
import { trans } from '../translation';

const SIGNS: Readonly<Record<ICheckPayload['state'], string>> = {
  passed: '✓',
  failed: '✗',
  not_yet: '…',
  unavailable: '!'
};

/** What a check found: one line that says how it ended, then each property. */
export function CheckView({ payload }: { readonly payload: ICheckPayload }): JSX.Element {
  const { exercise, title, state, findings, message, next_step } = payload;
  const held = findings.filter(finding => finding.passed).length;
  return (
    <section className="gpc-Study gpc-Check" data-state={state} aria-label={`${exercise} ${title}`}>
      <header className="gpc-Check-header">
        <span className="gpc-Check-sign" aria-hidden="true">
          {SIGNS[state]}
        </span>
        <span>
          <strong>
            {exercise} {title}
          </strong>{' '}
          <span className="gpc-Check-state">{stateWords(state)}</span>
        </span>
        {state === 'failed' && findings.length > 1 && (
          <span className="gpc-Check-count">
            {trans.__('%1 of %2 properties hold', held, findings.length)}
          </span>
        )}
      </header>
      {message !== '' && (
        <p>
          <Sentence text={message} />
        </p>
      )}
      {findings.length > 0 && <Findings findings={findings} />}
      {payload.state !== 'passed' && (
        <HelpButtons exercise={exercise} nHints={payload.nHints} nSeen={payload.nHintsSeen} />
      )}
      {next_step !== '' && payload.nHints === 0 && (
        <p>
          <Sentence text={next_step} />
        </p>
      )}
    </section>
  );
}

function stateWords(state: ICheckPayload['state']): string {
  switch (state) {
    case 'passed':
      return trans.__('passed');
    case 'failed':
      return trans.__('not right yet');
    case 'not_yet':
      return trans.__('not yet');
    case 'unavailable':
      return trans.__('could not be checked');
  }
}
