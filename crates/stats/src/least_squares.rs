//! Levenberg-Marquardt for three parameters, and the 3 x 3 algebra it needs.

/// One residual and its gradient by the three parameters.
pub(crate) type Row = (f64, [f64; 3]);

/// A symmetric 3 x 3 matrix and the like.
pub(crate) type Matrix = [[f64; 3]; 3];

/// The parameters, near `start`, that make the sum of squared residuals least, and that sum.
///
/// Marquardt, SIAM Journal 1963: Gauss-Newton with a damping that grows while steps fail, scaled by the
/// diagonal so that parameters of unlike size need no care. `rows` gives residual and gradient at every
/// point.
pub(crate) fn minimise(start: [f64; 3], rows: impl Fn([f64; 3]) -> Vec<Row>) -> ([f64; 3], f64) {
    let (mut at, mut here) = (start, rows(start));
    let mut cost = sum_of_squares(&here);
    let mut damping = 1e-3;
    for _ in 0..500 {
        let (normal, slope) = normal_equations(&here);
        let mut damped = normal;
        for i in 0..3 {
            // The small constant keeps a parameter that no longer matters from making the matrix singular.
            damped[i][i] += damping * normal[i][i] + 1e-300;
        }
        let Some(step) = solve(damped, slope) else { break };
        let next = [at[0] + step[0], at[1] + step[1], at[2] + step[2]];
        let there = rows(next);
        let next_cost = sum_of_squares(&there);
        if next_cost <= cost {
            let gain = cost - next_cost;
            (at, here, cost) = (next, there, next_cost);
            damping = (damping * 0.2).max(1e-12);
            // Two guards: a gain of nothing, and steps that no longer change a digit.
            if gain <= 1e-15 * cost && small(step, at) {
                break;
            }
        } else {
            damping *= 4.0;
            if damping > 1e12 {
                break;
            }
        }
    }
    (at, cost)
}

fn small(step: [f64; 3], at: [f64; 3]) -> bool {
    step.iter()
        .zip(at)
        .all(|(step, at)| step.abs() <= 1e-9 * at.abs() + 1e-12)
}

fn sum_of_squares(rows: &[Row]) -> f64 {
    rows.iter().map(|row| row.0 * row.0).sum()
}

/// `J^T J` and `-J^T r`.
fn normal_equations(rows: &[Row]) -> (Matrix, [f64; 3]) {
    let (mut normal, mut slope) = ([[0.0; 3]; 3], [0.0; 3]);
    for (residual, gradient) in rows {
        for i in 0..3 {
            slope[i] -= gradient[i] * residual;
            for j in 0..3 {
                normal[i][j] += gradient[i] * gradient[j];
            }
        }
    }
    (normal, slope)
}

/// The inverse of `J^T J`: times the residual variance, the covariance of the parameters.
pub(crate) fn inverse_normal(rows: &[Row]) -> Option<Matrix> {
    let (normal, _) = normal_equations(rows);
    let columns = [
        solve(normal, [1.0, 0.0, 0.0])?,
        solve(normal, [0.0, 1.0, 0.0])?,
        solve(normal, [0.0, 0.0, 1.0])?,
    ];
    Some(columns)
}

/// Solves `m x = v` by elimination with row pivots; `None` when `m` is singular.
fn solve(mut m: Matrix, mut v: [f64; 3]) -> Option<[f64; 3]> {
    for column in 0..3 {
        let pivot = (column..3).max_by(|&a, &b| m[a][column].abs().total_cmp(&m[b][column].abs()))?;
        m.swap(column, pivot);
        v.swap(column, pivot);
        let top = m[column];
        // NaN included: a step computed from it would lead nowhere.
        if !(top[column].abs() > 0.0 && top[column].is_finite()) {
            return None;
        }
        for row in column + 1..3 {
            let factor = m[row][column] / top[column];
            for (value, above) in m[row].iter_mut().zip(top) {
                *value -= factor * above;
            }
            v[row] -= factor * v[column];
        }
    }
    let z = v[2] / m[2][2];
    let y = (v[1] - m[1][2] * z) / m[1][1];
    let x = (v[0] - m[0][1] * y - m[0][2] * z) / m[0][0];
    Some([x, y, z])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exponential_is_found_again() {
        let truth = [2.0, -0.7, 0.5];
        let value = |p: [f64; 3], x: f64| p[0] * (p[1] * x).exp() + p[2];
        let rows = |p: [f64; 3]| {
            let row = |i: i32| {
                let x = f64::from(i) / 4.0;
                let e = (p[1] * x).exp();
                (value(p, x) - value(truth, x), [e, p[0] * x * e, 1.0])
            };
            (0..20).map(row).collect()
        };
        let (found, cost) = minimise([1.0, -0.1, 0.0], rows);
        assert!(cost < 1e-20);
        assert!(
            found.iter().zip(truth).all(|(f, t)| (f - t).abs() < 1e-8),
            "{found:?}"
        );
    }

    #[test]
    fn singular_systems_are_refused() {
        assert_eq!(
            solve([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, 1.0]], [1.0; 3]),
            None
        );
        assert_eq!(
            solve(
                [[0.0, 2.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 4.0]],
                [2.0, 3.0, 4.0]
            ),
            Some([3.0, 1.0, 1.0])
        );
    }
}
