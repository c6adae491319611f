import { h, useId } from '../jsx';
import { asSentence } from './asking';
import { trans } from '../translation';

interface INumberFieldProps {
  readonly label: string;
  readonly text: string;
  readonly fault: string | null;
  readonly minimum: number;
  readonly maximum: number | undefined;
  readonly onChange: (text: string) => void;
}

/** A number with a button on either side. A text field underneath: what is typed is never swallowed. */
export function NumberField(props: INumberFieldProps): JSX.Element {
  const { label, text, fault, minimum, maximum, onChange } = props;
  const id = useId();
  const value = /^[+-]?\d+$/.test(text.trim()) ? Number(text.trim()) : null;
  const step = (by: number): void => {
    const next = Math.max(minimum, (value ?? minimum) + by);
    onChange(`${maximum === undefined ? next : Math.min(maximum, next)}`);
  };
  return (
    <div className="gpc-NumberField">
      <label htmlFor={id}>{label}</label>
      <div className="gpc-Stepper">
        <button
          type="button"
          className="gpc-Stepper-button"
          aria-label={trans.__('%1: one less', label)}
          disabled={value !== null && value <= minimum}
          onClick={() => step(-1)}
        >
          −
        </button>
        <input
          id={id}
          className="gpc-Input"
          inputMode="numeric"
          autoComplete="off"
          value={text}
          aria-invalid={fault !== null}
          aria-describedby={fault === null ? undefined : `${id}-fault`}
          onChange={event => onChange(event.target.value)}
          onKeyDown={event => {
            if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
              event.preventDefault();
              step(event.key === 'ArrowUp' ? 1 : -1);
            }
          }}
        />
        <button
          type="button"
          className="gpc-Stepper-button"
          aria-label={trans.__('%1: one more', label)}
          disabled={maximum !== undefined && value !== null && value >= maximum}
          onClick={() => step(1)}
        >
          +
        </button>
      </div>
      {fault !== null && (
        <p id={`${id}-fault`} className="gpc-Fault" role="alert">
          {asSentence(fault)}
        </p>
      )}
    </div>
  );
}
