import type { ButtonHTMLAttributes } from 'react';
import styles from './Button.module.css';

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: 'plain' | 'primary' | 'danger';
}

export function Button({ kind = 'plain', type = 'button', ...rest }: Props) {
  return <button {...rest} type={type} className={`${styles.button} ${styles[kind]}`} />;
}
