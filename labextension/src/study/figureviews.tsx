import { h } from '../jsx';
import type { IPredictionPayload, IReportPayload, Plain } from './payload';
import { trans } from '../translation';

/** A guess beside what came out, as two bars where both are numbers. */
export function PredictionView({ payload }: { readonly payload: IPredictionPayload }): JSX.Element {
  const { predicted, observed, unit, question } = payload;
  const words = [predicted, observed].some(value => value !== null && typeof value !== 'number');
  const largest = words ? 0 : Math.max(amount(predicted), amount(observed));
  const row = (label: string, value: Plain, name: string): JSX.Element => (
    <div className="gpc-Prediction-row" data-row={name}>
      <dt>{label}</dt>
      <dd>
        <span>{value === null ? '–' : `${shown(value)} ${unitOf(unit, value)}`.trim()}</span>
        {largest > 0 && (
          <span className="gpc-Prediction-bar" aria-hidden="true">
            <span style={{ width: `${(100 * amount(value)) / largest}%` }} />
          </span>
        )}
      </dd>
    </div>
  );
  return (
    <section className="gpc-Study gpc-Prediction" aria-label={trans.__('Prediction %1', question)}>
      <dl>
        {row(trans.__('You predicted'), predicted, 'predicted')}
        {row(trans.__('Observed'), observed, 'observed')}
      </dl>
      <p>{verdict(predicted, observed)}</p>
    </section>
  );
}

/** Figures of a run, side by side. */
export function ReportView({ payload }: { readonly payload: IReportPayload }): JSX.Element {
  return (
    <section
      className="gpc-Study gpc-Report"
      aria-label={trans.__('Report of lesson %1', payload.lesson)}
    >
      <dl>
        {payload.figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name.replace(/_/g, ' ')}</dt>
            <dd>{value === null ? '–' : shown(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The same words as `lessons.compare` prints. */
export function verdict(predicted: Plain, observed: Plain): string {
  if (predicted === null) {
    return trans.__('You made no prediction. Next time, predict first: surprises stick.');
  }
  if (predicted === observed) {
    return typeof observed === 'number' ? trans.__('Exactly.') : trans.__('That is the same.');
  }
  if (
    typeof predicted !== 'number' ||
    typeof observed !== 'number' ||
    predicted === 0 ||
    observed === 0 ||
    predicted > 0 !== observed > 0
  ) {
    return trans.__('That is different. Can you explain why?');
  }
  const ratio = predicted / observed;
  const factor = ratio > 1 ? ratio : 1 / ratio;
  if (factor < 1.05) {
    return trans.__('Very close.');
  }
  const digits = factor >= 10 ? 0 : 1;
  const times = factor.toLocaleString('en', {
    minimumFractionDigits: 0,
    maximumFractionDigits: digits
  });
  return ratio > 1
    ? trans.__('Your guess is %1 × the real value.', times)
    : trans.__('The real value is %1 × your guess.', times);
}

/** A unit as it stands after a number: one process, two processes; as `lessons.compare` prints it. */
function unitOf(unit: string, value: Plain): string {
  if (value !== 1 || unit === 'times' || !/^[a-z]{2,}s$/.test(unit)) {
    return unit;
  }
  return /sses$/.test(unit) ? unit.slice(0, -2) : unit.replace(/ies$/, 'ys').slice(0, -1);
}

function amount(value: Plain): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.max(0, value) : 0;
}

function shown(value: Plain): string {
  if (typeof value !== 'number') {
    return String(value);
  }
  return Number.isInteger(value) || Math.abs(value) >= 1000
    ? Math.round(value).toLocaleString('en')
    : value.toLocaleString('en', { maximumSignificantDigits: 3 });
}
