package main

func benchDoctor(c *command, args []string) error {
	fs := c.flags()
	if err := c.parse(fs, args); err != nil {
		return err
	}
	return nil
}
