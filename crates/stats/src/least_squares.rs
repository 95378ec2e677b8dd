//! Nonlinear least squares for three parameters (Levenberg-Marquardt), with the 3 x 3 linear algebra it needs.

/// The residual of one point at given parameters.
pub(crate) struct Residual {
    /// Model minus measurement.
    pub(crate) value: f64,
    /// Derivatives of `value` with respect to the three parameters.
    pub(crate) gradient: [f64; 3],
}

/// A 3 x 3 matrix by rows.
pub(crate) type Matrix = [[f64; 3]; 3];

/// The parameters at the local minimum of the sum of squared residuals that is reached from `start`, and that sum.
///
/// Marquardt, SIAM Journal 1963: Gauss-Newton steps with a damping that grows while steps fail. The damping is
/// scaled by the diagonal, so the parameters may have very different sizes. `residuals` gives the residual of
/// every point at given parameters.
pub(crate) fn minimise(start: [f64; 3], residuals: impl Fn([f64; 3]) -> Vec<Residual>) -> ([f64; 3], f64) {
    let (mut parameters, mut current) = (start, residuals(start));
    let mut cost = sum_of_squares(&current);
    let mut damping = 1e-3;
    for _ in 0..500 {
        let (normal, slope) = normal_equations(&current);
        let mut damped = normal;
        for i in 0..3 {
            // The small constant keeps a parameter without influence from making the matrix singular.
            damped[i][i] += damping * normal[i][i] + 1e-300;
        }
        let Some(step) = solve(damped, slope) else { break };
        let next = [parameters[0] + step[0], parameters[1] + step[1], parameters[2] + step[2]];
        let next_residuals = residuals(next);
        let next_cost = sum_of_squares(&next_residuals);
        if next_cost <= cost {
            let gain = cost - next_cost;
            (parameters, current, cost) = (next, next_residuals, next_cost);
            damping = (damping * 0.2).max(1e-12);
            // Both must hold: either alone can happen once on the way to the minimum.
            if gain <= 1e-15 * cost && is_negligible(step, parameters) {
                break;
            }
        } else {
            damping *= 4.0;
            if damping > 1e12 {
                break;
            }
        }
    }
    (parameters, cost)
}

/// True when no parameter changes in its first nine digits.
fn is_negligible(step: [f64; 3], parameters: [f64; 3]) -> bool {
    step.iter().zip(parameters).all(|(step, parameter)| step.abs() <= 1e-9 * parameter.abs() + 1e-12)
}

fn sum_of_squares(residuals: &[Residual]) -> f64 {
    residuals.iter().map(|residual| residual.value * residual.value).sum()
}

/// The matrix `J^T J` and the vector `-J^T r`, with the Jacobian `J` and the residuals `r`.
fn normal_equations(residuals: &[Residual]) -> (Matrix, [f64; 3]) {
    let (mut normal, mut slope) = ([[0.0; 3]; 3], [0.0; 3]);
    for Residual { value, gradient } in residuals {
        for i in 0..3 {
            slope[i] -= gradient[i] * value;
            for j in 0..3 {
                normal[i][j] += gradient[i] * gradient[j];
            }
        }
    }
    (normal, slope)
}

/// The inverse of `J^T J`; multiplied by the residual variance it is the covariance matrix of the parameters.
/// `None` when it is singular.
pub(crate) fn inverse_normal(residuals: &[Residual]) -> Option<Matrix> {
    let (normal, _) = normal_equations(residuals);
    let columns =
        [solve(normal, [1.0, 0.0, 0.0])?, solve(normal, [0.0, 1.0, 0.0])?, solve(normal, [0.0, 0.0, 1.0])?];
    Some(columns)
}

/// Solves `m x = v` by Gaussian elimination with partial pivoting; `None` when `m` is singular.
fn solve(mut m: Matrix, mut v: [f64; 3]) -> Option<[f64; 3]> {
    for column in 0..3 {
        let pivot = (column..3).max_by(|&a, &b| m[a][column].abs().total_cmp(&m[b][column].abs()))?;
        m.swap(column, pivot);
        v.swap(column, pivot);
        let top = m[column];
        // Written so that NaN is refused as well: a step computed from it would be useless.
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
    fn the_parameters_of_an_exponential_are_recovered() {
        let truth = [2.0, -0.7, 0.5];
        let model = |p: [f64; 3], x: f64| p[0] * (p[1] * x).exp() + p[2];
        let residuals = |p: [f64; 3]| {
            let residual = |i: i32| {
                let x = f64::from(i) / 4.0;
                let e = (p[1] * x).exp();
                Residual { value: model(p, x) - model(truth, x), gradient: [e, p[0] * x * e, 1.0] }
            };
            (0..20).map(residual).collect()
        };
        let (fitted, cost) = minimise([1.0, -0.1, 0.0], residuals);
        assert!(cost < 1e-20);
        assert!(fitted.iter().zip(truth).all(|(f, t)| (f - t).abs() < 1e-8), "{fitted:?}");
    }

    #[test]
    fn singular_systems_are_refused() {
        assert_eq!(solve([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, 1.0]], [1.0; 3]), None);
        assert_eq!(
            solve([[0.0, 2.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 4.0]], [2.0, 3.0, 4.0]),
            Some([3.0, 1.0, 1.0])
        );
    }
}
