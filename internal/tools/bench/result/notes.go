package result

func (r *Report) diagnose() {}
